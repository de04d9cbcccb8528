import { shortId } from "../../../lib/format/names";
import { displayState, stateWord, type DisplayState } from "../../../lib/state/state";
import type { Living, Work } from "../../../lib/state/living";
import type { FleetRun, Pod } from "../api/types";
import type { Fleet } from "./fleet";

/** The parts of a fleet, in the order of what needs a person. */
export const sections = ["waiting", "running", "lost", "idle", "failed", "orphaned"] as const;
export type Section = (typeof sections)[number];

/** One pod, or one session that no pod of ours holds. */
export interface Member {
  key: string;
  section: Section;
  /** The session to open; null while a pod has none. */
  session: string | null;
  pod: string | null;
  name: string;
  /** What a pod works on. */
  title: string | null;
  state: DisplayState;
  word: string;
  /** The tool that runs, or why somebody is waited for; empty when the word says all. */
  doing: string;
  /** What its age counts from, in Unix seconds. */
  since: number | null;
  tokens: number | null;
  cost: number | null;
  costPartial: boolean;
  invocation: string | null;
}

/** Sessions that were started together. */
export interface Group {
  /** The invocation; null for sessions that were started directly. */
  id: string | null;
  name: string;
  members: Member[];
  /** How many of it wait for a person, shown further up. */
  waiting: number;
  since: number | null;
}

/** A fleet as it is shown. */
export interface FleetView {
  members: Record<Section, Member[]>;
  /** What runs, by what it was started with; empty when nothing was started together. */
  groups: Group[];
}

/** The fleet in the order in which it is shown. */
export function viewOf(fleet: Pick<Fleet, "pods" | "runs">): FleetView {
  const held = new Set<string>();
  const all: Member[] = [];
  for (const pod of fleet.pods.values()) {
    if (pod.session_id !== null) held.add(pod.session_id);
    const run = pod.session_id === null ? undefined : fleet.runs.get(pod.session_id);
    all.push(podMember(pod, run?.invocation_id ?? null));
  }
  for (const run of fleet.runs.values()) if (!held.has(run.id)) all.push(runMember(run));

  const members = Object.fromEntries(sections.map((s) => [s, all.filter((m) => m.section === s).sort(order[s])])) as Record<Section, Member[]>;
  return { members, groups: groupsOf(members, fleet.runs) };
}

/** Whether nothing lives and nothing failed. */
export function isEmpty(view: FleetView): boolean {
  return sections.every((s) => view.members[s].length === 0);
}

const podStates: Record<string, DisplayState> = {
  idle: "idle", running: "running", paused: "paused", compacting: "compacting", unresponsive: "unresponsive", dead: "unresponsive",
};

const podSections: Partial<Record<DisplayState, Section>> = { running: "running", compacting: "running", unresponsive: "lost" };

/** What a pod is at, as every part of the page says it. */
export function podLiving(pod: Pod): Living {
  const state = podStates[pod.state] ?? "idle";
  const work = workOf(pod);
  return pod.attention !== null && state !== "unresponsive" ? { state: "waiting", word: "waits", work } : { state, word: pod.state, work };
}

/** A pod may work and wait for its person all the same. */
function workOf({ state, tool, since }: Pod): Work | null {
  if (state === "running") return { kind: "run", tool, since };
  return state === "compacting" ? { kind: "compaction", tool: null, since } : null;
}

function podMember(pod: Pod, invocation: string | null): Member {
  const { state, word } = podLiving(pod);
  const waits = state === "waiting";
  return {
    key: `pod ${pod.name}`,
    section: waits ? "waiting" : (podSections[state] ?? "idle"),
    session: pod.session_id,
    pod: pod.name,
    name: pod.name,
    title: pod.title,
    state,
    word,
    doing: waits ? reason(pod.attention?.kind ?? "") : state === "running" ? (pod.tool ?? "") : "",
    // Since when a pod is lost may be unknown; its start would be a guess.
    since: waits ? (pod.attention?.since ?? null) : state === "unresponsive" ? pod.since : (pod.since ?? pod.started_at),
    tokens: tokensOf(pod),
    cost: pod.cost_usd,
    costPartial: pod.cost_partial,
    invocation,
  };
}

/** Tokens in and out; null while none were reported. */
function tokensOf(of: Pick<Pod | FleetRun, "input_tokens" | "output_tokens">): number | null {
  return of.input_tokens === null && of.output_tokens === null ? null : (of.input_tokens ?? 0) + (of.output_tokens ?? 0);
}

const runSections: Record<DisplayState, Section> = {
  waiting: "waiting", running: "running", compacting: "running", queued: "running", paused: "idle", idle: "idle", unresponsive: "orphaned",
  failed: "failed", completed: "idle", cancelled: "failed",
};

function runMember(run: FleetRun): Member {
  const state = displayState(run);
  const waits = run.attention !== null && state !== "failed" && state !== "unresponsive";
  const ended = state === "failed" || state === "cancelled";
  return {
    key: `run ${run.id}`,
    section: waits ? "waiting" : runSections[state],
    session: run.id,
    pod: null,
    name: run.name,
    title: null,
    state: waits ? "waiting" : state,
    word: waits ? "waits" : stateWord(run),
    doing: waits ? reason(run.attention?.kind ?? stateWord(run)) : "",
    since: waits ? (run.attention?.since ?? run.updated_at) : ended ? (run.ended_at ?? run.updated_at) : (run.started_at ?? run.updated_at),
    tokens: tokensOf(run),
    cost: run.total_cost_usd,
    costPartial: false,
    invocation: run.invocation_id,
  };
}

/** Why a person is waited for, in words that fit a row; an unknown reason is said as it is. */
const reasons: Record<string, string> = {
  failed: "run failed",
  limit: "at its limit",
  thrash: "compacts in vain",
  compaction_off: "no compaction",
};

function reason(kind: string): string {
  return reasons[kind] ?? kind.replaceAll("_", " ");
}

type Order = (a: Member, b: Member) => number;

const oldest: Order = (a, b) => (a.since ?? Infinity) - (b.since ?? Infinity) || byKey(a, b);
const newest: Order = (a, b) => (b.since ?? -Infinity) - (a.since ?? -Infinity) || byKey(a, b);

/** What has waited and run longest comes first; what ended last comes first. */
const order: Record<Section, Order> = { waiting: oldest, running: oldest, lost: newest, idle: newest, failed: newest, orphaned: newest };

function byKey(a: Member, b: Member): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function groupsOf(members: FleetView["members"], runs: Fleet["runs"]): Group[] {
  const groups = new Map<string | null, Group>();
  for (const member of [...members.waiting, ...members.running]) {
    const id = member.invocation;
    let group = groups.get(id);
    if (group === undefined) groups.set(id, (group = { id, name: groupName(id, runs), members: [], waiting: 0, since: null }));
    if (member.section === "waiting") group.waiting++;
    else group.members.push(member);
    if (member.since !== null) group.since = Math.min(member.since, group.since ?? Infinity);
  }
  if (![...groups.keys()].some((id) => id !== null)) return [];
  return [...groups.values()]
    .filter((g) => g.members.length > 0)
    .sort((a, b) => Number(b.waiting > 0) - Number(a.waiting > 0) || (a.since ?? Infinity) - (b.since ?? Infinity) || ((a.id ?? "") < (b.id ?? "") ? -1 : 1));
}

function groupName(id: string | null, runs: Fleet["runs"]): string {
  if (id === null) return "started directly";
  for (const run of runs.values()) {
    if (run.invocation_id !== id) continue;
    const name = run.show_topic ?? run.playbook_name;
    if (name) return name;
  }
  return `orchestration ${shortId(id)}`;
}

/** What stands in a row of the fleet. */
export type Line = { kind: "member"; member: Member } | { kind: "group"; group: Group; open: boolean };

/** The rows of the sections that are shown, with what runs under its groups. */
export function linesOf(view: FleetView, hidden: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  for (const section of sections) {
    if (hidden.has(section)) continue;
    if (section !== "running" || view.groups.length === 0) {
      lines.push(...view.members[section].map((member): Line => ({ kind: "member", member })));
      continue;
    }
    for (const group of view.groups) {
      const open = !hidden.has(groupKey(group));
      lines.push({ kind: "group", group, open });
      if (open) lines.push(...group.members.map((member): Line => ({ kind: "member", member })));
    }
  }
  return lines;
}

export function groupKey(group: Group): string {
  return `group ${group.id ?? ""}`;
}

export function lineKey(line: Line): string {
  return line.kind === "member" ? line.member.key : groupKey(line.group);
}

/**
 * The lines with those that stood in one section before in the order they had:
 * nothing moves away under a pointer. New ones of a section come behind.
 */
export function steady(before: readonly Line[], now: Line[]): Line[] {
  const place = new Map(before.map((line, i) => [`${sectionOf(line)} ${lineKey(line)}`, i]));
  const at = (line: Line) => place.get(`${sectionOf(line)} ${lineKey(line)}`);
  const out = [...now];
  for (let from = 0; from < out.length; ) {
    let to = from;
    const section = sectionOf(out[from] as Line);
    while (to < out.length && sectionOf(out[to] as Line) === section) to++;
    const part = out.slice(from, to);
    part.sort((a, b) => (at(a) ?? Infinity) - (at(b) ?? Infinity) || 0);
    out.splice(from, to - from, ...part.filter((l) => at(l) !== undefined), ...part.filter((l) => at(l) === undefined));
    from = to;
  }
  return out;
}

/** Groups hold their members together; only rows between them are kept in place. */
function sectionOf(line: Line): string {
  return line.kind === "group" ? groupKey(line.group) : line.member.section;
}
