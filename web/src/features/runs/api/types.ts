/** A row of GET /api/runs/ (v1). Times are Unix seconds, cost is US dollars. */
export interface Run {
  run_id: string;
  id: string;
  name: string;
  playbook_name: string | null;
  agent_name: string | null;
  invocation_kind: string | null;
  show_topic: string | null;
  show_play_name: string | null;
  source_kind: string;
  artifact_contract_json: unknown;
  artifact_verification_json: unknown;
  invocation_id: string | null;
  model: string | null;
  provider: string | null;
  effort: string | null;
  agent_hash: string | null;
  status: string;
  started_at: number | null;
  ended_at: number | null;
  ended_at_is_approximate: boolean;
  created_at: number;
  updated_at: number;
  last_message_at: number | null;
  effective_health: string | null;
  branch_count: number;
  message_count: number;
  project: string | null;
  project_source: string | null;
  status_reason_code: string | null;
  status_reason_summary: string | null;
  total_cost_usd: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  tags: string[];
}

/** The envelope of GET /api/runs/ (v1): every total is a number. */
export interface RunPage {
  runs: Run[];
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
  has_next: boolean;
  has_prev: boolean;
  status_ended_at_mismatches: number;
}

export type RunSort = "recent" | "cost";

/** What a list asks for; absent means no filter. */
export interface RunFilter {
  search?: string;
  status?: string[];
  kind?: string[];
  project?: string;
  project_null?: boolean;
  sort?: RunSort;
}

export interface ProjectCount {
  project: string | null;
  count: number;
  last_activity: number | null;
}
