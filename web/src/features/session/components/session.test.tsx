import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { aBranch, aDetail, aMessage, aWindow, anEntry, fakeStudio, renderPage, windowOf, type Reply, type Request } from "../../../test/studio";
import type { Entry, EntryWindow, Lineage, RunDetail } from "../api/types";
import { pieces } from "../state/pieces";
import { PieceView } from "./PieceView";
import { SessionView } from "./SessionView";
import { Words } from "./Words";

const noLineage: Lineage = { session_id: "s", compacted_from: [], continued_in: [] };

/** What the log route says to somebody who has the whole log. */
const nothingNewer = (q: URLSearchParams, newest: () => EntryWindow) => (q.has("after") ? aWindow([]) : newest());

interface Session {
  head: () => RunDetail | Reply;
  entries?: (q: URLSearchParams) => EntryWindow | Reply | "away";
  messages?: (q: URLSearchParams) => RunDetail;
  lineage?: Lineage;
}

/** A Studio with one session. */
function studioOf({ head, entries = () => aWindow([]), messages, lineage = noLineage }: Session) {
  const wrap = (v: object | "away"): Reply | "away" => (v === "away" ? v : "body" in v || "status" in v && typeof v.status === "number" ? (v as Reply) : { body: v });
  return fakeStudio((r: Request) => {
    if (r.path.endsWith("/entries")) return wrap(entries(r.query));
    if (r.path.endsWith("/lineage")) return { body: lineage };
    if (r.path.endsWith("/export")) return { text: "# x", type: "text/markdown" };
    if (messages !== undefined && r.query.get("message_limit") !== "1") return wrap(messages(r.query));
    return wrap(head());
  });
}

function open(over: Partial<Parameters<typeof SessionView>[0]> = {}) {
  const props = { id: "s", entry: null, takesFocus: false, hrefOf: (id: string) => `?s=${id}`, onOpen: vi.fn(), onFilter: vi.fn(), ...over };
  return { ...renderPage(<SessionView {...props} />), props };
}

// Markdown comes later than the page; here it is there.
beforeAll(async () => {
  render(<Words text="ready" />);
  await waitFor(() => expect(document.querySelector(".plain")).toBeNull());
});

const said = (text: string) => anEntry("text", { text });

describe("SessionView", () => {
  it("shows bones while it waits", () => {
    fakeStudio(() => new Promise(() => undefined));
    open();
    expect(screen.getByLabelText("Loading the session").getAttribute("aria-busy")).toBe("true");
  });

  it("says what the session is", async () => {
    const onFilter = vi.fn();
    studioOf({ head: () => aDetail({ id: "s", tags: ["flaky"], playbook_name: "nightly", agent_name: "implementer", status: "failed", status_reason_summary: "worker exited with code 1", message_count: 1 }) });
    open({ onFilter });
    const head = (await screen.findByRole("heading", { name: "fix the flaky login test" })).closest("header");
    expect(head?.textContent).toContain("failed40s$0.42claude-sonnet-51.2k in, 340 outshopimplementer1 message");
    expect(document.title).toBe("fix the flaky login test · Podium");
    expect(head?.textContent).toContain("worker exited with code 1");
    await userEvent.click(screen.getByRole("button", { name: "Show sessions tagged flaky" }));
    expect(onFilter).toHaveBeenCalledWith({ tag: ["flaky"] });
    await userEvent.click(screen.getByRole("button", { name: "Show sessions of playbook nightly" }));
    expect(onFilter).toHaveBeenCalledWith({ playbook: "nightly" });
  });

  it.each([
    ["an end that was only guessed", { ended_at_is_approximate: true }, "—"],
    ["no start", { started_at: null }, "$0.42"],
  ])("gives no length for %s", async (_, over, text) => {
    studioOf({ head: () => aDetail({ ...over, model: null, project: null, input_tokens: null, output_tokens: null }) });
    open();
    await screen.findByRole("heading");
    expect(document.querySelector(".facts")?.textContent).toContain(`completed${text}`);
  });

  it("counts the time of a lost session up to its last sign of life", async () => {
    studioOf({ head: () => aDetail({ status: "running", effective_health: "stale", started_at: 1_000, ended_at: null, updated_at: 1_090 }) });
    open();
    await screen.findByRole("heading");
    expect(document.querySelector(".facts")?.textContent).toContain("stale1m 30s");
  });

  it("reads the conversation, with calls folded", async () => {
    studioOf({
      head: () => aDetail(),
      entries: (q) =>
        nothingNewer(q, () => aWindow([anEntry("input", { text: "go", kind: "input" }), anEntry("tool_call", { call_id: "c", name: "Bash", arguments: { command: "ls" } }), said("done **now**")])),
    });
    open();
    expect(await screen.findByText("go")).toBeTruthy();
    expect(screen.getByText("you")).toBeTruthy();
    expect((await screen.findByText("now")).tagName).toBe("STRONG");
    const tool = screen.getByText("Bash").closest("details");
    expect([tool?.open, tool?.querySelector("summary")?.textContent]).toEqual([false, "Bash lsno result"]);
  });

  it("says that a session has nothing to read", async () => {
    studioOf({ head: () => aDetail() });
    open();
    expect(await screen.findByText(/a row in the list and no conversation/)).toBeTruthy();
  });

  it("says that a session is gone, and does not offer to try again", async () => {
    studioOf({ head: () => ({ status: 404, body: { detail: "Run 's' not found" } }) });
    open();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("No such session");
    expect(within(alert).queryByRole("button")).toBeNull();
  });

  it("tries again after any other failure", async () => {
    let fail = true;
    studioOf({ head: () => (fail ? { status: 503, body: { detail: "The store is locked" } } : aDetail()) });
    open();
    expect((await screen.findByRole("alert")).textContent).toContain("The store is locked");
    fail = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByRole("heading", { name: "fix the flaky login test" });
  });

  it("keeps the head when the conversation does not come, and tries again", async () => {
    let fail = true;
    studioOf({ head: () => aDetail(), entries: (q) => (fail ? "away" : nothingNewer(q, () => aWindow([said("here")]))) });
    open();
    expect((await screen.findByRole("alert")).textContent).toContain("Studio does not answer.");
    fail = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("here");
  });

  it("reads what is in front of the newest window by itself, and keeps the rest of the log out", async () => {
    const log = Array.from({ length: 205 }, (_, i) => said(`entry ${i}`));
    const studio = studioOf({ head: () => aDetail(), entries: (q) => windowOf(log, q) });
    open();
    await waitFor(() => expect(studio.asked.some((r) => r.query.get("before") === log[5]?.id)).toBe(true));
    await screen.findByText("entry 0");
    expect(document.querySelectorAll(".slot").length).toBeLessThanOrEqual(120);
  });

  it("keeps what was read when older entries do not come", async () => {
    const log = Array.from({ length: 205 }, (_, i) => said(`entry ${i}`));
    let fail = true;
    const studio = studioOf({ head: () => aDetail(), entries: (q) => (q.has("before") && fail ? "away" : windowOf(log, q)) });
    open();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The older entries did not come.");
    expect(document.querySelectorAll(".slot").length).toBeGreaterThan(0);
    const tries = () => studio.asked.filter((r) => r.query.has("before")).length;
    expect(tries()).toBe(1);
    fail = false;
    await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
    expect(tries()).toBe(2);
  });

  it("follows a running session: only what came since is asked for", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const log: Entry[] = [said("one")];
    let updated = 1;
    const studio = studioOf({
      head: () => aDetail({ status: "running", ended_at: null, updated_at: updated }),
      entries: (q) => windowOf(log, q),
    });
    open();
    await screen.findByText("one");
    log.push(said("two"), said("three"));
    updated = 2;
    await act(() => vi.advanceTimersByTimeAsync(3_500));
    await screen.findByText("three");
    expect([...document.querySelectorAll(".words")].map((w) => w.textContent)).toEqual(["one", "two", "three"]);
    const asked = studio.asked.filter((r) => r.path.endsWith("/entries")).map((r) => r.query.get("after"));
    expect(asked[0]).toBeNull();
    expect(asked.slice(1).every((after) => after !== null)).toBe(true);
  });

  it("says that the newest entries did not come", async () => {
    let fail = true;
    const log = [said("one")];
    studioOf({ head: () => aDetail({ status: "running", ended_at: null }), entries: (q) => (q.has("after") && fail ? "away" : windowOf(log, q)) });
    open();
    expect((await screen.findByRole("alert")).textContent).toContain("The newest entries did not come.");
    log.push(said("newest"));
    fail = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("newest");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("keeps everything when the daemon goes away, and says of when it is", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let away = false;
    fakeStudio((r) => (away ? "away" : { body: r.path.endsWith("/entries") ? aWindow(r.query.has("after") ? [] : [said("still here")]) : r.path.endsWith("/lineage") ? noLineage : aDetail({ status: "running" }) }));
    open();
    await screen.findByText("still here");
    away = true;
    await act(() => vi.advanceTimersByTimeAsync(3_500));
    expect((await screen.findByRole("alert")).textContent).toMatch(/Studio does not answer\. As of \d\d:\d\d:\d\d\./);
    expect(screen.getByText("still here")).toBeTruthy();
    away = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  it("shows branches apart when there are several, with their older messages", async () => {
    const branch = (id: string, name: string | null, ...texts: string[]) =>
      aBranch({ id, name, messages: texts.map((t) => aMessage("AssistantResponse", { assistant_response: t }, { id: `${id}-${t}` })) });
    studioOf({
      head: () => aDetail({ branches: [branch("b1", "main"), branch("b2222222-9", null)] }),
      messages: (q) =>
        q.get("message_cursor") === "older"
          ? aDetail({ branches: [branch("b1", "main", "m0"), branch("b2222222-9", null)] })
          : aDetail({ branches: [branch("b1", "main", "m1"), branch("b2222222-9", null, "s1")], message_next_cursor: "older" }),
    });
    open();
    await screen.findByRole("heading", { name: "Branch main" });
    const lines = () => [...document.querySelectorAll(".slot")].map((e) => e.querySelector("h3, .words")?.textContent);
    await waitFor(() => expect(lines()).toEqual(["Branch main", "m1", "Branch b2222222-9", "s1"]));
    await userEvent.click(screen.getByRole("button", { name: "Older entries" }));
    await waitFor(() => expect(lines()).toEqual(["Branch main", "m0", "m1", "Branch b2222222-9", "s1"]));
    expect(screen.getByText("1 older entry").getAttribute("role")).toBe("status");
  });

  it("leads on to where a compacted session continued", async () => {
    const step = { session_id: "0192f0e8-aaaa", name: null, compacted_at: 1, tokens_before: 9, tokens_after: 2, cost_usd: null };
    studioOf({ head: () => aDetail(), lineage: { session_id: "s", compacted_from: [], continued_in: [step] } });
    const { props } = open();
    await userEvent.click(await screen.findByRole("link", { name: "0e8-aaaa" }));
    expect(props.onOpen).toHaveBeenCalledWith("0192f0e8-aaaa");
  });

  it("takes the focus where it covers the list", async () => {
    studioOf({ head: () => aDetail() });
    open({ takesFocus: true });
    const heading = await screen.findByRole("heading", { name: "fix the flaky login test" });
    expect(document.activeElement).toBe(heading);
  });

  it("copies the id, and says so", async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
    studioOf({ head: () => aDetail({ id: "s" }) });
    open();
    const copy = await screen.findByRole("button", { name: "Copy id" });
    fireEvent.click(copy);
    expect((await screen.findByText("copied")).getAttribute("role")).toBe("status");
    expect(writeText).toHaveBeenCalledWith("s");
    writeText.mockImplementation(() => Promise.reject(new Error("denied")));
    fireEvent.click(copy);
    await screen.findByText("not copied");
    fireEvent.blur(copy);
    expect(screen.queryByText("not copied")).toBeNull();
  });

  it("exports the whole log as a file, and says when that failed", async () => {
    const kept: string[] = [];
    URL.createObjectURL = () => "blob:x";
    URL.revokeObjectURL = () => undefined;
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      kept.push(this.download);
    });
    const studio = studioOf({ head: () => aDetail({ id: "s" }) });
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Actions" }));
    await userEvent.click(await screen.findByRole("button", { name: "Export Markdown" }));
    await waitFor(() => expect(kept).toEqual(["s.md"]));
    expect(studio.asked.some((r) => r.path === "/api/sessions/s/export" && r.query.get("format") === "md")).toBe(true);
    fakeStudio(() => "away");
    await userEvent.click(screen.getByRole("button", { name: "Export JSON Lines" }));
    await screen.findByRole("button", { name: "JSON Lines: failed, try again" });
  });
});

describe("PieceView", () => {
  function show(list: Entry[], working = false) {
    const onOpen = vi.fn();
    const all = { has: (key: string) => !key.includes("/"), set: () => undefined };
    const page = render(
      <>
        {pieces(list).map((p) => (
          <PieceView key={p.id} piece={p} working={working} folds={all} hrefOf={(id) => `?s=${id}`} onOpen={onOpen} />
        ))}
      </>,
    );
    return { ...page, onOpen };
  }

  it("shows an edit as a change, and everything else by name", () => {
    show([anEntry("tool_call", { call_id: "c", name: "Edit", arguments: { file_path: "x.go", old_string: "a\n", new_string: "b\n", count: 2 } })]);
    expect([...document.querySelectorAll("[data-sign]")].map((l) => l.textContent)).toEqual(["- a\n", "+ b\n"]);
    expect([...document.querySelectorAll("dt")].map((d) => d.textContent)).toEqual(["file_path", "count"]);
  });

  it.each([
    [[], true, "running"],
    [[], false, "no result"],
    [[anEntry("tool_result", { call_id: "c", summary: "Exit code: 2", content: "boom", is_error: true })], false, "exit 2"],
    [[anEntry("tool_result", { call_id: "c", withheld: true })], false, "too large"],
    [[anEntry("run_end", { result: "paused" })], false, "paused"],
    [[anEntry("run_end", { result: "paused" })], true, "running"],
    [[anEntry("run_end", { result: "paused" }), anEntry("tool_result", { call_id: "c", summary: "[Interrupted by user]", is_error: true })], false, "not run"],
  ])("says how a call went: %#", (rest, working, text) => {
    show([anEntry("tool_call", { call_id: "c", name: "T", arguments: {} }), ...rest], working);
    expect(document.querySelector(".tool-outcome")?.textContent).toBe(text);
    expect(screen.getByText("No arguments.")).toBeTruthy();
  });

  it("says that a call was too large", () => {
    show([anEntry("tool_call", { call_id: "c", withheld: true })]);
    expect(screen.getByText(/The call is too large to show here/)).toBeTruthy();
  });

  it("says that an output was empty or that the call is further up", () => {
    show([anEntry("tool_result", { call_id: "c", summary: "" })]);
    expect(screen.getByText("(no output)")).toBeTruthy();
    expect(screen.getByText(/further up/)).toBeTruthy();
  });

  it.each([
    ["failed", "the provider is overloaded", "the run failed: the provider is overloaded"],
    ["cancelled", "", "the run was cancelled"],
    ["limit_reached", "", "the run stopped at its limit of turns"],
    ["paused", "", "the run was paused"],
    ["rolled_back", "", "the run was taken back"],
    ["exploded", "", "the run ended: exploded"],
    ["finished", "late problem", "the run finished: late problem"],
  ])("says that a run ended %s", (result, error, text) => {
    show([anEntry("run_end", { result, error })]);
    expect(screen.getByText(text)).toBeTruthy();
  });

  it("draws a mere line where a run went well", () => {
    show([anEntry("run_end", { result: "finished" })]);
    expect(screen.getByRole("separator")).toBeTruthy();
  });

  it.each([
    [{ tokens_before: 182_000 }, "182k to —"],
    [{ tokens_before: 0, tokens_after: 0 }, "— to —"],
  ])("says of a compaction's tokens %j no more than is known", (payload, text) => {
    show([anEntry("compaction", payload)]);
    expect(document.body.textContent).toContain(`compacted: ${text} tokens, cost unknown`);
  });

  it("links a compaction to the session before it", () => {
    const { onOpen } = show([anEntry("compaction", { from_session: "0192f0e8-bbbb", tokens_before: 182_000, tokens_after: 21_000, cost_usd: 0.05 })]);
    expect(document.body.textContent).toContain("compacted: 182k to 21k tokens, $0.05, continues 0e8-bbbb");
    // jsdom cannot follow a link.
    window.addEventListener("click", (e) => e.preventDefault(), { once: true });
    fireEvent.click(screen.getByRole("link"), { metaKey: true });
    expect(onOpen).not.toHaveBeenCalled();
    fireEvent.click(screen.getByRole("link"));
    expect(onOpen).toHaveBeenCalledWith("0192f0e8-bbbb");
  });

  it("shows everything else too", () => {
    show([
      anEntry("input", { text: "taken", kind: "input", client: "user" }, { id: "in" }),
      anEntry("rolled_back", { entry_id: "in" }),
      anEntry("input", { text: "disk full", kind: "notification" }),
      anEntry("system", { text: "be careful\nalways" }),
      anEntry("reasoning", { text: "hm" }),
      anEntry("hologram", { beam: 1 }),
      anEntry("turn_end", { stop_reason: "refusal" }),
      anEntry("text", { withheld: true, size: 4_000_000 }),
    ]);
    const text = document.body.textContent;
    for (const part of ["Taken back: the model does not see it.", "disk full", "systembe careful", "reasoning", "not known to this page", "the model refused to answer", "answer: too large to show here (4,000,000 characters)"]) {
      expect(text.replace(/(system|reasoning) /g, "$1")).toContain(part);
    }
  });
});

describe("Words", () => {
  it("are plain where Markdown does not come", async () => {
    vi.resetModules();
    vi.doMock("./Markdown", () => {
      throw new Error("the file is gone");
    });
    const { Words: Fresh, prepareWords } = await import("./Words");
    prepareWords();
    render(<Fresh text="some **words**" />);
    await waitFor(() => expect(document.querySelectorAll(".plain")).toHaveLength(1));
    await screen.findByText("some **words**");
    vi.doUnmock("./Markdown");
  });

  const markup = '<img src=x onerror="boom()"><script>boom()</script>';

  it("render Markdown, and no markup, image or script of their own", async () => {
    render(<Words text={`# Title\n\n${markup}\n\n![a picture](https://example.com/x.png)\n\n- [x] task\n\n| a |\n|---|\n| b |\n\n\`\`\`\n${markup}\n\`\`\`\n\n###### six`} />);
    await screen.findByText("Title");
    expect(document.querySelectorAll("img, script, input").length).toBe(0);
    expect(screen.getByText("[image: a picture]")).toBeTruthy();
    expect(screen.getByText("[x]")).toBeTruthy();
    expect([...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((h) => h.tagName)).toEqual(["H3", "H4"]);
    expect(document.querySelector("pre")?.textContent).toBe(`${markup}\n`);
  });

  it("lead to the web and to mail, and nowhere else", async () => {
    render(<Words text="[web](https://example.com) [mail](mailto:a@b.c) [js](javascript:boom()) [file](file:///etc/passwd) [here](/api/runs/)" />);
    await screen.findByText("web");
    const links = screen.getAllByRole<HTMLAnchorElement>("link");
    expect(links.map((a) => [a.textContent, a.rel, a.target])).toEqual([
      ["web", "noopener noreferrer", "_blank"],
      ["mail", "noopener noreferrer", "_blank"],
    ]);
  });
});
