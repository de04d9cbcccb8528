import { createEvent, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { aPod } from "../../../test/fleet";
import { fakeStudio, type Reply } from "../../../test/studio";
import { mostBytes } from "../api/pod";
import { refusal, usualOf, type LivePod } from "../state/actions";
import { keepDraft } from "../state/drafts";
import { PodDock } from "./PodDock";

afterEach(() => keepDraft("fixer", ""));

const taken: Reply = { status: 202, body: { request_id: "r" } };

function dock(over: Partial<LivePod> = {}, answer: () => Reply | Promise<Reply> | "away" = () => taken, closed: React.ReactNode = null) {
  const { asked } = fakeStudio(answer);
  const shown = render(<PodDock pod={{ ...aPod({ state: "idle", tool: null }), ...over }} closed={closed} />);
  const calls = () => asked.map((r) => [r.path.split("/").at(-1), JSON.parse(r.body ?? "{}") as Record<string, string>] as const);
  return { ...shown, asked, calls };
}

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox");
const button = (name: string) => screen.getByRole("button", { name });
const off = (name: string) => button(name).getAttribute("aria-disabled") === "true";
const told = () => screen.getByRole("status").textContent;

describe("a message", () => {
  it("goes with Enter, and the field is empty once the pod has it", async () => {
    const { asked, calls } = dock();
    await userEvent.type(field(), "run the tests{Shift>}{Enter}{/Shift}twice{Enter}");
    await waitFor(() => expect(field().value).toBe(""));
    expect(asked.map((r) => [r.method, r.path])).toEqual([["POST", "/api/pods/fixer/run"]]);
    expect(calls()[0]?.[1]["input"]).toBe("run the tests\ntwice");
    expect(told()).toMatch(/^The pod has the message, \d\d:\d\d:\d\d\.$/);
  });

  it("is a note while the pod runs, which has no use for an input", async () => {
    const { calls } = dock({ state: "running", tool: "Bash" });
    expect([field().getAttribute("aria-label"), off("Send"), off("Pause")]).toEqual(["Note to pod fixer", true, false]);
    await userEvent.type(field(), "mind the gap{Enter}");
    expect(calls()[0]).toMatchObject(["notify", { message: "mind the gap" }]);
  });

  it("is not sent by the Enter that ends a composition", async () => {
    const { asked } = dock();
    await userEvent.type(field(), "ゆ");
    fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
    fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
    const composed = createEvent.keyDown(field(), { key: "Enter", isComposing: true });
    fireEvent(field(), composed);
    expect([asked.length, composed.defaultPrevented, field().value]).toEqual([0, false, "ゆ"]);
  });

  it("of blanks is none", async () => {
    const { asked } = dock();
    await userEvent.type(field(), "  {Enter}");
    await userEvent.click(button("Send"));
    expect([asked.length, button("Send").title]).toEqual([0, "There is nothing to send."]);
  });

  it("of a megabyte is taken, and one that is too long is refused with the limit before it is sent", async () => {
    const { asked } = dock();
    fireEvent.change(field(), { target: { value: "a".repeat(1_000_000) } });
    fireEvent.keyDown(field(), { key: "Enter" });
    await waitFor(() => expect(field().value).toBe(""));
    const long = "é\n".repeat(400_000);
    fireEvent.change(field(), { target: { value: long } });
    fireEvent.keyDown(field(), { key: "Enter" });
    expect(told()).toMatch(/1,600,0\d\d bytes; a message may have 1,048,448/);
    expect([asked.length, field().value.length, off("Send"), mostBytes]).toEqual([1, long.length, true, 1_048_448]);
  });
});

describe("a failure", () => {
  it.each<[string, Reply | "away", RegExp]>([
    ["a refusal of the pod", { status: 409, body: { detail: { code: "already_running", message: "Pod is already executing a turn" } } }, /^already_running: Pod is already executing a turn\.$/],
    ["a pod that is gone", { status: 404, body: { detail: "no live pod is called fixer" } }, /^no live pod is called fixer\. Pod fixer is gone\.$/],
    ["a pod that is silent", { status: 503, body: { detail: "The pod does not answer." } }, /^The pod does not answer\. It may have arrived; sent again it is not said twice\.$/],
    ["no answer at all", "away", /^Studio does not answer\. It may have arrived; /],
  ])("is said in its own words and keeps the text: %s", async (_, answer, words) => {
    dock({}, () => answer);
    await userEvent.type(field(), "keep me{Enter}");
    await waitFor(() => expect(told()).toMatch(words));
    expect(field().value).toBe("keep me");
  });

  it("stays when the state that it comes from is heard of after it", async () => {
    const { rerender } = dock({}, () => ({ status: 409, body: { detail: { code: "already_running", message: "Pod is already executing a turn" } } }));
    await userEvent.type(field(), "now this{Enter}");
    await waitFor(() => expect(told()).toMatch(/^already_running/));
    rerender(<PodDock pod={aPod({ state: "running" })} closed={null} />);
    expect(told()).toMatch(/^already_running/);
  });

  it("is tried again under the id that it had; another text has another", async () => {
    const answers: (Reply | "away")[] = ["away", taken, taken];
    const { calls } = dock({}, () => answers.shift() ?? taken);
    await userEvent.type(field(), "once{Enter}");
    await waitFor(() => expect(told()).toMatch(/It may have arrived/));
    await userEvent.type(field(), "{Enter}");
    await waitFor(() => expect(field().value).toBe(""));
    await userEvent.type(field(), "once{Enter}");
    await waitFor(() => expect(calls().length).toBe(3));
    const ids = calls().map(([, body]) => body["request_id"]);
    expect([ids[0] === ids[1], ids[1] === ids[2], ids[0]?.length]).toEqual([true, false, 37]);
  });

  it("is one call at a time", async () => {
    let answer: (r: Reply) => void = () => undefined;
    const { asked } = dock({ state: "running" }, () => new Promise<Reply>((resolve) => (answer = resolve)));
    await userEvent.click(button("Cancel"));
    expect([told(), off("Pause"), off("Cancel")]).toEqual(["Cancelling…", true, true]);
    await userEvent.click(button("Cancel"));
    await userEvent.click(button("Pause"));
    answer(taken);
    await waitFor(() => expect(told()).toMatch(/^The pod ends its run/));
    expect(asked.length).toBe(1);
  });
});

describe("a compaction that fails", () => {
  const failed = { text: "<b>no answer</b>", at: 1_200 };

  it("is said in the pod's own words in the place of what was asked, until the pod forgets it", async () => {
    const { rerender, container } = dock();
    await userEvent.click(button("Compact"));
    await waitFor(() => expect(told()).toMatch(/^The pod was asked to compact/));
    // It was over before anybody saw the pod in another state.
    rerender(<PodDock pod={aPod({ state: "idle", problem: failed })} closed={null} />);
    expect([told(), container.querySelector(".dock-told b")]).toEqual(["The compaction failed, 00:20:00: <b>no answer</b>.", null]);
    await userEvent.click(button("Compact"));
    await waitFor(() => expect(told()).toMatch(/^The pod was asked to compact/));
    rerender(<PodDock pod={aPod({ state: "idle", problem: { text: "again", at: 1_260 } })} closed={null} />);
    expect(told()).toBe("The compaction failed, 00:21:00: again.");
    rerender(<PodDock pod={aPod({ state: "running", problem: null })} closed={null} />);
    expect(told()).toBe("");
  });
});

describe("what was typed", () => {
  it("stays while one looks elsewhere, and what is typed while a message goes is the next one", async () => {
    const { unmount } = dock();
    await userEvent.type(field(), "half a thou");
    unmount();
    let answer: (r: Reply) => void = () => undefined;
    dock({}, () => new Promise<Reply>((resolve) => (answer = resolve)));
    expect(field().value).toBe("half a thou");
    await userEvent.type(field(), "ght{Enter}");
    await userEvent.type(field(), " more");
    answer(taken);
    await waitFor(() => expect(told()).not.toMatch(/Sending/));
    expect(field().value).toBe("half a thought more");
  });
});

describe("the buttons", () => {
  it.each<[string, string[]]>([
    ["idle", ["Compact", "Notify", "Send"]],
    ["running", ["Cancel", "Pause", "Notify"]],
    ["paused", ["Compact", "Cancel", "Resume", "Notify", "Send"]],
    ["compacting", ["Cancel", "Pause", "Notify", "Send"]],
    ["unresponsive", ["Notify", "Send"]],
    ["dead", []],
  ])("of a pod that is %s", (state, on) => {
    keepDraft("fixer", "text");
    dock({ state });
    const all = screen.getAllByRole("button").map((b) => b.textContent ?? "");
    const useless = state === "compacting" ? ["Pause"] : [];
    expect(all.filter((name) => !off(name))).toEqual(on.filter((name) => !useless.includes(name)));
  });

  it("call the pod", async () => {
    const { calls, rerender } = dock({ state: "running" });
    await userEvent.click(button("Pause"));
    rerender(<PodDock pod={aPod({ state: "paused" })} closed={null} />);
    await waitFor(() => expect(told()).toBe(""));
    await userEvent.click(button("Resume"));
    await waitFor(() => expect(told()).toMatch(/^The pod goes on/));
    await userEvent.click(button("Compact"));
    await waitFor(() => expect(calls().map(([m, b]) => [m, b])).toEqual([["pause", {}], ["resume", {}], ["compact", {}]]));
  });

  it("say why they are off", () => {
    dock({ state: "idle" });
    expect([button("Pause").title, button("Cancel").title]).toEqual(["Nothing runs.", "Nothing runs."]);
  });

  it("that would stop a pod are off while it does not answer, with a sentence that says what ends it", () => {
    dock({ state: "unresponsive" });
    expect(["Compact", "Cancel", "Pause"].map((name) => button(name).title)).toEqual(Array(3).fill("It does not answer."));
    expect(told()).toBe("Pod fixer does not answer. podium stop fixer ends it; its session stays.");
  });

  it("are off for a pod that is gone, which is said; the text stays to be copied", async () => {
    keepDraft("fixer", "precious");
    const { asked } = dock({ state: "dead" }, () => taken, "Its process is gone.");
    await userEvent.click(button("Send"));
    expect([asked.length, field().readOnly, field().value, told()]).toEqual([0, true, "precious", "Its process is gone."]);
  });
});

describe("a state", () => {
  it("that is not known refuses nothing", () => expect([refusal("dreaming", "pause"), usualOf("dreaming")]).toEqual([null, "run"]));
});
