import { useQuery } from "@tanstack/react-query";
import { memo } from "react";
import { age, compact, costAtLeast, count, grouped, moment } from "../../../lib/format/format";
import { useLowerBound } from "../../../lib/state/lowerBound";
import { StateShape } from "../../../lib/state/StateShape";
import { getInvocation } from "../api/fleet";
import { groupKey, type Line, type Member } from "../state/view";

interface MemberProps {
  member: Member;
  now: number;
  href: string;
  open: boolean;
  /** The row that Tab reaches. */
  reachable: boolean;
  onFocus: (key: string) => void;
  onOpen: (member: Member) => void;
}

/** A pod or a running session: a link, so that it opens elsewhere too. */
export const MemberRow = memo(function MemberRow({ member, now, href, open, reachable, onFocus, onOpen }: MemberProps) {
  const { state, word, doing } = member;
  const known = useLowerBound(member.session ?? "");
  const atLeast = member.costPartial || known;
  return (
    <a
      className="run-row fleet-row"
      href={href}
      data-key={member.key}
      data-session={member.session ?? undefined}
      tabIndex={reachable ? 0 : -1}
      aria-current={open ? "true" : undefined}
      onFocus={() => onFocus(member.key)}
      onClick={(e) => {
        // What a browser does with a link otherwise stays the browser's.
        if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
        e.preventDefault();
        onOpen(member);
      }}
    >
      <StateShape state={state} />
      <span className="run-name" title={member.title === null ? member.name : `${member.name}: ${member.title}`}>
        <bdi>{member.name}</bdi>
        {member.title === null ? null : <bdi className="fleet-about">{member.title}</bdi>}
      </span>
      <span className={`run-state state-${state}`} title={doing === "" ? word : `${word}: ${doing}`}>
        {doing === "" ? (
          word
        ) : (
          <>
            <span className="unseen">{word}: </span>
            <bdi>{doing}</bdi>
          </>
        )}
      </span>
      <span className="fleet-tokens number" title={member.tokens === null ? undefined : `${grouped(String(member.tokens))} tokens`}>
        {compact(member.tokens)}
      </span>
      <span className="run-age number" title={member.since === null ? undefined : moment(member.since)}>
        {age(Math.max(now, member.since ?? 0), member.since)}
      </span>
      <span className="run-cost number">{costAtLeast(member.cost, atLeast)}</span>
    </a>
  );
});

interface GroupProps {
  line: Extract<Line, { kind: "group" }>;
  now: number;
  reachable: boolean;
  onFocus: (key: string) => void;
  onToggle: () => void;
}

/** Sessions that were started together; a press shows or hides them. */
export function GroupRow({ line, now, reachable, onFocus, onToggle }: GroupProps) {
  const { group, open } = line;
  const key = groupKey(group);
  const { id } = group;
  const invocation = useQuery({
    queryKey: ["invocation", id],
    enabled: id !== null,
    queryFn: ({ signal }) => getInvocation(id ?? "", signal),
    staleTime: Infinity,
    retry: false,
  }).data;
  return (
    <button type="button" className="fleet-group" data-key={key} tabIndex={reachable ? 0 : -1} aria-expanded={open} onFocus={() => onFocus(key)} onClick={onToggle}>
      <svg className="triangle" data-open={open} viewBox="0 0 8 8" width="8" height="8" aria-hidden="true" focusable="false">
        <path d="M1 0l6 4-6 4z" fill="currentColor" />
      </svg>
      <bdi className="run-name" title={invocation?.prompt ?? undefined}>
        {invocation?.skill || group.name}
      </bdi>
      <span className="fleet-group-count">
        {count(group.members.length, "session")}
        {group.waiting === 0 ? null : <span className="state-waiting">, {group.waiting} {group.waiting === 1 ? "waits" : "wait"}</span>}
      </span>
      <span className="run-age number">{age(Math.max(now, group.since ?? 0), group.since)}</span>
    </button>
  );
}
