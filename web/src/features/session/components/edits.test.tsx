import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeToken } from "../../../lib/http/token";
import { aDetail, anEntry, fakeStudio, renderPage, windowOf, type Reply, type Request } from "../../../test/studio";
import type { RunDetail } from "../api/types";
import { deletions, grace } from "../state/deletions";
import { DeletionStrips } from "./Deletions";
import { SessionView } from "./SessionView";

const held: Reply = { status: 409, body: { detail: "A live pod holds the session; stop it first." } };
const adopted: Reply = { status: 409, body: { detail: "This store belongs to lionagi and takes no tags from podium before it is adopted; run `podium store migrate`, then tag again." } };

/** A session that is changed: change answers what is no reading. */
function studioOf(run: Partial<RunDetail>, change: (r: Request) => Reply | "away") {
  return fakeStudio((r: Request) => {
    if (r.path.endsWith("/entries")) {
      const w = windowOf([anEntry("text", { text: "words" }, { id: "one" })], r.query);
      return "body" in w || "status" in w ? (w as Reply) : { body: w };
    }
    if (r.path.endsWith("/lineage")) return { body: { session_id: "s", compacted_from: [], continued_in: [] } };
    if (r.method !== "GET" || r.path.endsWith("/file")) return change(r);
    return { body: aDetail({ id: "s", ...run }) };
  });
}

function open() {
  const props = { id: "s", entry: null, takesFocus: false, hrefOf: (id: string) => `?s=${id}`, onOpen: vi.fn(), onFilter: vi.fn() };
  return renderPage(
    <>
      <DeletionStrips />
      <SessionView {...props} />
    </>,
  );
}

const sent = (asked: Request[]) => asked.filter((r) => r.method !== "GET").map((r) => `${r.method} ${r.path} ${r.body ?? ""}`);

beforeEach(() => writeToken("secret"));
afterEach(() => deletions.drop("s"));

describe("tags", () => {
  it("are added and taken away, whatever is in them", async () => {
    const { asked } = studioOf({ tags: ["a/b"] }, (r) => ({ body: { session_id: "s", tags: r.method === "POST" ? ["a/b", "new"] : ["new"] } }));
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Add tag" }));
    await userEvent.type(screen.getByLabelText("Tag"), " new {Enter}");
    await screen.findByRole("button", { name: "Show sessions tagged new" });
    await userEvent.click(screen.getByRole("button", { name: "Remove the tag a/b" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Remove the tag a/b" })).toBeNull());
    expect(sent(asked)).toEqual(['POST /api/sessions/s/tags {"tag":"new"}', "DELETE /api/sessions/s/tags/a%2Fb {}"]);
    expect(asked.filter((r) => r.method !== "GET").every((r) => r.headers.get("Authorization") === "Bearer secret")).toBe(true);
  });

  it("of a store that takes none say why, and keep what was typed", async () => {
    studioOf({}, () => adopted);
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Add tag" }));
    await userEvent.type(screen.getByLabelText("Tag"), "new{Enter}");
    expect((await screen.findByText(/podium store migrate/)).getAttribute("role")).toBe("status");
    expect(screen.getByLabelText<HTMLInputElement>("Tag").value).toBe("new");
  });

  it("ask for a token that was refused, once more", async () => {
    let refused = true;
    const { asked } = studioOf({}, () => (refused ? { status: 401, body: { detail: "Unauthorized" } } : { body: { session_id: "s", tags: ["new"] } }));
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Add tag" }));
    await userEvent.type(screen.getByLabelText("Tag"), "new{Enter}");
    await waitFor(() => expect(sent(asked)).toHaveLength(1));
    refused = false;
    writeToken("better");
    await screen.findByRole("button", { name: "Show sessions tagged new" });
    expect(sent(asked)).toHaveLength(2);
  });
});

describe("a name", () => {
  it("is saved by Enter and left by Escape", async () => {
    const { asked } = studioOf({}, () => ({ body: { session_id: "s", name: "better" } }));
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Rename" }));
    await userEvent.type(screen.getByLabelText("Name"), "x{Escape}");
    expect(screen.getByRole("heading", { name: "fix the flaky login test" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Rename" }));
    await userEvent.clear(screen.getByLabelText("Name"));
    await userEvent.type(screen.getByLabelText("Name"), "better{Enter}");
    await screen.findByRole("heading", { name: "better" });
    expect(sent(asked)).toEqual(['PATCH /api/sessions/s {"name":"better"}']);
  });

  it("that another one goes before says so", async () => {
    studioOf({}, () => ({ body: { session_id: "s", name: "nightly" } }));
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Rename" }));
    await userEvent.type(screen.getByLabelText("Name"), " again{Enter}");
    await screen.findByText("Renamed. It is shown as nightly, which goes before its own name.");
  });

  it("that is too long or empty is not sent", async () => {
    const { asked } = studioOf({}, () => ({ status: 500 }));
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Rename" }));
    const field = screen.getByLabelText("Name");
    fireEvent.change(field, { target: { value: "é".repeat(101) } });
    await screen.findByText("A name has at most 200 bytes.");
    await userEvent.type(field, "{Enter}");
    fireEvent.change(field, { target: { value: " \u200b ".trim().slice(1) } });
    await userEvent.type(field, "{Enter}");
    expect(sent(asked)).toEqual([]);
  });

  it("that is refused says why", async () => {
    studioOf({}, () => ({ status: 409, body: { detail: "Names stay with lionagi." } }));
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Rename" }));
    await userEvent.type(screen.getByLabelText("Name"), "x{Enter}");
    await screen.findByText("Names stay with lionagi.");
    expect(screen.getByLabelText("Name")).toBeTruthy();
  });
});

describe("a deletion", () => {
  it("that a live pod stands against says so", async () => {
    studioOf({}, () => held);
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Actions" }));
    vi.useFakeTimers({ shouldAdvanceTime: true });
    fireEvent.click(screen.getByRole("button", { name: "Delete" }));
    await screen.findByRole("button", { name: "Undo" });
    await vi.advanceTimersByTimeAsync(grace);
    vi.useRealTimers();
    await screen.findByText(/was not deleted: A live pod holds the session; stop it first\./);
    expect(screen.getByRole("heading", { name: "fix the flaky login test" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByText(/was not deleted/)).toBeNull();
  });
});

describe("files", () => {
  const run: Partial<RunDetail> = {
    artifact_root: "artifacts/s",
    artifact_verification_json: { produced: [{ id: "a", path: "report.md", size: 2_100_000 }], missing_required: [{ id: "b", path: "plan.md" }] },
  };
  async function files() {
    open();
    await userEvent.click(await screen.findByRole("button", { name: "Actions" }));
    await userEvent.click(screen.getByRole("button", { name: "Files" }));
    return within(await screen.findByRole("region", { name: "Files" }));
  }

  it("are listed, and the text of one is shown as text", async () => {
    const { asked } = studioOf(run, () => ({ body: { path: "report.md", content: "<b>bold</b>", size: 2_100_000, truncated: true } }));
    const panel = await files();
    expect(panel.getByText("was to be made and is not there")).toBeTruthy();
    await userEvent.click(panel.getByRole("button", { name: "plan.md" }));
    await userEvent.click(panel.getByRole("button", { name: "report.md" }));
    expect((await panel.findByLabelText("File")).textContent).toBe("<b>bold</b>");
    expect(panel.getByText(/2,100,000 bytes; only the first 2,000,000 are shown/)).toBeTruthy();
    expect(document.querySelector("b")).toBeNull();
    expect(asked.filter((r) => r.path.endsWith("/file")).map((r) => r.query.get("path"))).toEqual(["report.md"]);
  });

  it.each([
    [403, /outside the run's artifacts, or their folder is not among studio\.artifact_roots\. \(outside\)/],
    [404, /There is no such file\. \(outside\)/],
    [415, /It is no text\. \(outside\)/],
    [503, /: outside$/],
  ])("that Studio refuses with %i are said to be", async (status, words) => {
    studioOf(run, () => ({ status, body: { detail: "outside" } }));
    const panel = await files();
    await userEvent.type(panel.getByLabelText("Path of an artifact"), "../etc/passwd{Enter}");
    expect((await panel.findByText(words)).className).toBe("problem");
  });

  it("of a run without a folder are said not to be there", async () => {
    studioOf({}, () => ({ status: 404 }));
    const panel = await files();
    expect(panel.getByText("This run has no folder for artifacts.")).toBeTruthy();
    expect(panel.queryByLabelText("Path of an artifact")).toBeNull();
  });
});
