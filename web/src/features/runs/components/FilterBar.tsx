import { useEffect, useState } from "react";
import type { ProjectCount, RunFilter } from "../api/types";
import { kinds } from "../state/url";

interface Props {
  filter: RunFilter;
  projects: ProjectCount[];
  onChange: (filter: RunFilter, how: "push" | "replace") => void;
}

const statuses = ["running", "completed", "failed", "cancelled", "timed_out", "aborted"];
const noProject = "\u0000none";

/** Search and facets; all of them are the server's filters. */
export function FilterBar({ filter, projects, onChange }: Props) {
  const [text, setText] = useState(filter.search ?? "");
  useEffect(() => setText(filter.search ?? ""), [filter.search]);
  useEffect(() => {
    if (text === (filter.search ?? "")) return;
    const timer = setTimeout(() => onChange(withText(filter, text), "replace"), 300);
    return () => clearTimeout(timer);
  }, [text, filter, onChange]);

  return (
    <div className="filters" role="search">
      <input
        id="search"
        type="search"
        value={text}
        onChange={(e) => setText(e.target.value)}
        placeholder="search names and agents"
        aria-label="Search names and agents"
        autoComplete="off"
        spellCheck={false}
      />
      <Pick
        label="project"
        value={filter.project_null ? noProject : (filter.project ?? "")}
        options={projects.map((p) => ({
          value: p.project ?? noProject,
          text: `${p.project ?? "no project"} (${p.count})`,
        }))}
        onPick={(v) => {
          const { project: _p, project_null: _n, ...rest } = filter;
          onChange(v === "" ? rest : v === noProject ? { ...rest, project_null: true } : { ...rest, project: v }, "push");
        }}
      />
      <Pick
        label="kind"
        value={filter.kind?.[0] ?? ""}
        options={kinds.map((k) => ({ value: k, text: k }))}
        onPick={(v) => {
          const { kind: _k, ...rest } = filter;
          onChange(v === "" ? rest : { ...rest, kind: [v] }, "push");
        }}
      />
      <Pick
        label="status"
        value={filter.status?.[0] ?? ""}
        options={statuses.map((s) => ({ value: s, text: s.replace("_", " ") }))}
        onPick={(v) => {
          const { status: _s, ...rest } = filter;
          onChange(v === "" ? rest : { ...rest, status: [v] }, "push");
        }}
      />
    </div>
  );
}

function withText(filter: RunFilter, text: string): RunFilter {
  const { search: _search, ...rest } = filter;
  return text === "" ? rest : { ...rest, search: text };
}

interface PickProps {
  label: string;
  value: string;
  options: { value: string; text: string }[];
  onPick: (value: string) => void;
}

function Pick({ label, value, options, onPick }: PickProps) {
  const known = value === "" || options.some((o) => o.value === value);
  return (
    <select aria-label={label} value={value} onChange={(e) => onPick(e.target.value)} data-set={value !== ""}>
      <option value="">{`any ${label}`}</option>
      {known ? null : <option value={value}>{value}</option>}
      {options.map((o) => (
        <option key={o.value} value={o.value}>
          {o.text}
        </option>
      ))}
    </select>
  );
}
