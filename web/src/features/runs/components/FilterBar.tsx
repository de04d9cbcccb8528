import { useId } from "react";
import type { ProjectCount } from "../api/types";
import { kinds, statuses, withProject, type Kind, type RunFilter, type StatusWord } from "../state/filter";
import { useTyped } from "../state/useTyped";
import { grouped } from "../../../lib/format/format";
import { shownName } from "../../../lib/format/names";
import { MoreFilters } from "./MoreFilters";

interface Props {
  filter: RunFilter;
  projects: ProjectCount[];
  /** Somebody is about to look at the projects. */
  onProjects: () => void;
  /** replace keeps the address history as it is; typing would fill it. */
  onChange: (filter: RunFilter, how: "push" | "replace") => void;
  /** Leaves the search for the list. */
  onLeave: () => void;
}

/** Where an empty value would mean any project. */
const noProject = "\u0000none";

/** Search and facets; all of them are the server's filters. */
export function FilterBar({ filter, projects, onProjects, onChange, onLeave }: Props) {
  return (
    <div className="filters" role="search">
      <SearchField filter={filter} onChange={onChange} onLeave={onLeave} />
      <Facet
        label="project"
        onLook={onProjects}
        value={filter.project_null ? noProject : (filter.project ?? "")}
        options={projects.map((p) => ({ value: p.project ?? noProject, text: `${p.project === null ? "no project" : shownName(p.project, "(invisible)")} (${grouped(String(p.count))})` }))}
        onPick={(v) => onChange(withProject(filter, v === "" ? undefined : v === noProject ? null : v), "push")}
      />
      <Facet
        label="kind"
        value={filter.kind ?? ""}
        options={kinds.map((k) => ({ value: k, text: k }))}
        onPick={(v) => {
          const { kind: _, ...rest } = filter;
          onChange(v === "" ? rest : { ...rest, kind: v as Kind }, "push");
        }}
      />
      <Facet
        label="status"
        value={filter.status ?? ""}
        options={Object.keys(statuses).map((s) => ({ value: s, text: s }))}
        onPick={(v) => {
          const { status: _, ...rest } = filter;
          onChange(v === "" ? rest : { ...rest, status: v as StatusWord }, "push");
        }}
      />
      <MoreFilters filter={filter} onChange={onChange} />
    </div>
  );
}

/** The search as it is typed. */
function SearchField({ filter, onChange, onLeave }: Pick<Props, "filter" | "onChange" | "onLeave">) {
  const { text, type, now } = useTyped(filter.search ?? "", (t) => onChange(withSearch(filter, t), "replace"));
  return (
    <input
      id="search"
      type="search"
      value={text}
      onChange={(e) => type(e.target.value)}
      onKeyDown={(e) => {
        if (e.key === "Enter") now();
        if (e.key !== "Escape") return;
        // The browser would empty the field.
        e.preventDefault();
        e.stopPropagation();
        now();
        onLeave();
      }}
      placeholder="search names and agents"
      aria-label="Search names and agents"
      aria-keyshortcuts="/"
      autoComplete="off"
      spellCheck={false}
      maxLength={1000}
    />
  );
}

function withSearch(filter: RunFilter, text: string): RunFilter {
  const { search: _, ...rest } = filter;
  return text === "" ? rest : { ...rest, search: text };
}

interface FacetProps {
  label: string;
  value: string;
  options: { value: string; text: string }[];
  onPick: (value: string) => void;
  onLook?: () => void;
}

/** One facet. A value from the address that is no option is one all the same. */
function Facet({ label, value, options, onPick, onLook }: FacetProps) {
  const id = useId();
  const known = value === "" || options.some((o) => o.value === value);
  return (
    <>
      <label htmlFor={id} className="unseen">
        {label}
      </label>
      <select id={id} value={value} onChange={(e) => onPick(e.target.value)} onFocus={onLook} data-set={value !== ""}>
        <option value="">{`any ${label}`}</option>
        {known ? null : <option value={value}>{value === noProject ? "no project" : shownName(value, "(invisible)")}</option>}
        {options.map((o) => (
          <option key={o.value} value={o.value}>
            {o.text}
          </option>
        ))}
      </select>
    </>
  );
}
