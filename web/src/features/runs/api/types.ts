import type { components } from "../../../generated/studio";

/** A row of GET /api/runs/ (v1). Times are Unix seconds, cost is US dollars. */
export type Run = components["schemas"]["RunRow"];

/** The envelope of GET /api/runs/ (v1): every total is a number. */
export type RunPage = components["schemas"]["RunsBody"];

/** The envelope of GET /api/sessions/ (v1): every total is a number. */
export type SessionPage = components["schemas"]["SessionsBody"];

/** A project and how many sessions it has. */
export type ProjectCount = components["schemas"]["ProjectCount"];

export type RunSort = "recent" | "cost";

/** What a list asks of the server; absent means no filter. */
export interface RunQuery {
  search?: string;
  status?: readonly string[];
  kind?: readonly string[];
  project?: string;
  project_null?: boolean;
  playbook?: string;
  tag?: readonly string[];
  sort?: RunSort;
}
