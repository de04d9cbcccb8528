import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { aDetail, anEntry, fakeStudio, renderPage, windowOf, type Reply, type Request } from "../../../test/studio";
import type { Entry, RunDetail } from "../api/types";
import { shownAtOnce } from "./LongText";
import { SessionView } from "./SessionView";
import { Words } from "./Words";

type Answer = Reply | "away";

/** What may come instead of an answer, and the words for it. */
const bad: [string, Answer, RegExp][] = [
  ["401", { status: 401, body: { detail: "Unauthorized" } }, /Studio wants its token\./],
  ["422", { status: 422, body: { detail: [{ type: "x", loc: ["query", "limit"], msg: "not a number", input: "" }] } }, /limit: not a number/],
  ["501", { status: 501, body: { detail: "The store is a server's", route: "/x", backend: "postgres" } }, /The store is a server's/],
  ["503", { status: 503, body: { detail: "The store is locked; try again" } }, /The store is locked; try again/],
  ["500 as plain text", { status: 500, text: "Internal Server Error", type: "text/plain" }, /Request failed: 500/],
  ["no answer", "away", /Studio does not answer\./],
  ["a page instead of JSON", { text: "<!doctype html><script>boom()</script>", type: "text/html" }, /The answer is not Studio's/],
  ["half an answer", { text: '{"entries":[', type: "application/json" }, /Studio's answer ended early\./],
];

interface Parts {
  head?: () => Answer;
  entries?: (q: URLSearchParams) => Answer;
  search?: () => Answer;
  lineage?: () => Answer;
}

function studioOf({ head, entries, search, lineage }: Parts, run: Partial<RunDetail> = {}, log: Entry[] = [anEntry("text", { text: "words" })]) {
  return fakeStudio((r: Request) => {
    if (r.path.endsWith("/entries")) {
      if (entries !== undefined) return entries(r.query);
      const w = windowOf(log, r.query);
      return "status" in w ? (w as Reply) : { body: w };
    }
    if (r.path.endsWith("/lineage")) return lineage?.() ?? { body: { session_id: "s", compacted_from: [], continued_in: [] } };
    if (r.path.endsWith("/search")) return search?.() ?? { status: 404, body: { detail: "x" } };
    return head?.() ?? { body: aDetail({ id: "s", ...run }) };
  });
}

function open(entry: string | null = null) {
  return renderPage(<SessionView id="s" entry={entry} takesFocus={false} hrefOf={(id) => `?s=${id}`} onOpen={vi.fn()} onFilter={vi.fn()} />);
}

beforeAll(async () => {
  render(<Words text="ready" />);
  await waitFor(() => expect(document.querySelector(".plain")).toBeNull());
});

describe("instead of a session", () => {
  it.each(bad)("%s is said, and tried again", async (_, answer, words) => {
    let fails = true;
    studioOf({ head: () => (fails ? answer : { body: aDetail({ id: "s" }) }) });
    open();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toMatch(words);
    expect(document.querySelector("script")).toBeNull();
    fails = false;
    await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
    await screen.findByText("words");
  });
});

describe("instead of its conversation", () => {
  it.each(bad)("%s is said below its head, and tried again", async (_, answer, words) => {
    let fails = true;
    const log = [anEntry("text", { text: "here" })];
    studioOf({ entries: (q) => (fails ? answer : { body: windowOf(log, q) }) });
    open();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toMatch(words);
    expect(screen.getByRole("heading", { name: "fix the flaky login test" })).toBeTruthy();
    fails = false;
    await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
    await screen.findByText("here");
  });
});

describe("instead of what a search finds", () => {
  it.each(bad)("%s is said, and tried again", async (_, answer, words) => {
    let fails = true;
    const pagination = { next_cursor: null, has_more_candidates: false, returned: 0, examined_candidates: 1, candidate_limit: 10_000, stop_reason: "exhausted", offset_basis: "candidates", search_mode: "bounded_contains" };
    studioOf({ search: () => (fails ? answer : { body: { session_id: "s", matches: [], pagination, total: { kind: "unknown", value: null } } }) });
    open();
    await userEvent.type(await screen.findByLabelText("Search inside"), "x{Enter}");
    const said = within(screen.getByRole("search")).getByRole("status");
    await waitFor(() => expect(said.textContent).toMatch(words));
    fails = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(said.textContent).toBe("no match in 1 entry"));
  });

  it("a text that Studio would refuse is not sent", async () => {
    const { asked } = studioOf({});
    open();
    const field = await screen.findByLabelText("Search inside");
    await userEvent.click(field);
    await userEvent.paste("é".repeat(513));
    await userEvent.keyboard("{Enter}");
    expect(within(screen.getByRole("search")).getByRole("status").textContent).toBe("Studio looks for at most 1,024 bytes.");
    expect(asked.some((r) => r.path.endsWith("/search"))).toBe(false);
  });
});

describe("without a lineage", () => {
  it("a session is read all the same", async () => {
    studioOf({ lineage: () => ({ status: 503, body: { detail: "locked" } }) });
    open();
    await screen.findByText("words");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("a link to an entry that is not there", () => {
  it("shows the end and says so", async () => {
    studioOf({});
    open("nowhere");
    await screen.findByText("The entry of this link is not in this session. This is its end.");
    await screen.findByText("words");
  });
});

describe("foreign text", () => {
  const markup = '<img src=x onerror="boom()"><script>boom()</script>';
  const odd = `${markup} \u202e\u0645\u0631\u062d\u0628\u0627\u202c \u200b\u200bzero \ud800 half`;

  it("is shown as it is wherever it stands, and never becomes markup", async () => {
    studioOf({}, { name: odd, tags: [odd], model: odd, project: odd, agent_name: odd, playbook_name: odd, status_reason_summary: odd, status: odd }, [
      anEntry("input", { text: odd, kind: "input", client: odd }),
      anEntry("text", { text: odd }),
      anEntry("reasoning", { text: odd }),
      anEntry("tool_call", { call_id: "c", name: odd, arguments: { [odd]: odd, command: odd } }),
      anEntry("tool_result", { call_id: "c", summary: odd, content: odd, is_error: true }),
      anEntry("run_end", { result: odd, error: odd }),
      anEntry(odd, { text: odd }),
    ]);
    open();
    await screen.findByText("reasoning");
    for (const summary of document.querySelectorAll("summary")) await userEvent.click(summary);
    for (const more of screen.getAllByRole("button", { name: /link and raw JSON/ })) await userEvent.click(more);
    for (const raw of screen.getAllByRole("button", { name: "Raw JSON" })) await userEvent.click(raw);
    await userEvent.click(screen.getByRole("button", { name: "Actions" }));
    expect(document.querySelectorAll("img, script, .session b").length).toBe(0);
    expect(document.title).toBe(`${odd} · Podium`);
    expect(document.querySelector("h2 > bdi")?.textContent).toBe(odd);
    expect(document.querySelectorAll(".tool pre").length).toBeGreaterThan(2);
  });

  it("of a megabyte is shown in part, and whole on request", async () => {
    const long = "a".repeat(shownAtOnce - 1) + "\u{1F469}" + "z".repeat(1_000_000);
    studioOf({}, {}, [anEntry("input", { text: long, kind: "input" }), anEntry("text", { text: long })]);
    open();
    const [button] = await screen.findAllByRole("button", { name: "Show all" });
    const shown = () => [...document.querySelectorAll<HTMLElement>("pre, .said")].map((e) => e.textContent);
    // Never half a character.
    expect(shown().every((text) => text === "a".repeat(shownAtOnce - 1))).toBe(true);
    expect(screen.getAllByText(/The first 100,000 of 1,100,001 characters\./)).toHaveLength(2);
    await userEvent.click(button as HTMLElement);
    expect(shown()[0]).toBe(long);
    expect(screen.getAllByRole("button", { name: "Show all" })).toHaveLength(1);
  });

  it("that nobody can understand is shown raw", async () => {
    studioOf({}, {}, [anEntry("hologram", ["beam", null]), anEntry("text", "just text"), anEntry("tool_call", null)]);
    open();
    expect(await screen.findAllByText("not known to this page")).toHaveLength(3);
  });
});
