import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { later, reload } from "./later";

const There = ({ name }: { name: string }) => <p>Here is {name}.</p>;
let reloads: number;

beforeEach(() => {
  reloads = 0;
  vi.spyOn(reload, "page").mockImplementation(() => void reloads++);
});

/** A part whose script comes by what is given, one answer a time. */
function aPart(...answers: (() => Promise<typeof There>)[]) {
  const load = vi.fn(() => (answers.shift() ?? (() => new Promise<typeof There>(() => undefined)))());
  return { load, ...later(load, <p>bones</p>) };
}
const comes = () => Promise.resolve(There);
const fails = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));

describe("a part that comes later", () => {
  it("is drawn at once when it was prepared, and asked for once", async () => {
    const { Part, prepare, load } = aPart(comes);
    await Promise.all([prepare(), prepare()]);
    await prepare();
    render(<Part name="it" />);
    expect(screen.getByText("Here is it.")).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("has something in its place until it comes", async () => {
    let come: (part: typeof There) => void = () => undefined;
    const { Part } = aPart(() => new Promise((done) => (come = done)));
    render(<Part name="it" />);
    expect(screen.getByText("bones")).toBeTruthy();
    await act(async () => come(There));
    expect(screen.queryByText("bones")).toBeNull();
    expect(screen.getByText("Here is it.")).toBeTruthy();
  });

  it("that could not be prepared is asked for again when it is needed, and nothing is said", async () => {
    const { Part, prepare } = aPart(fails, comes);
    await prepare();
    render(<Part name="it" />);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(await screen.findByText("Here is it.")).toBeTruthy();
  });

  it("that does not come says so, and takes a new page from a Studio that answers", async () => {
    vi.stubGlobal("fetch", async () => new Response("{}"));
    const { Part } = aPart(fails, fails);
    render(<Part name="it" />);
    expect((await screen.findByRole("alert")).textContent).toContain("another version");
    await userEvent.click(screen.getByRole("button", { name: "Load the page again" }));
    await vi.waitFor(() => expect(reloads).toBe(1));
  });

  it("that does not come keeps the page while Studio does not answer, and is shown when it comes", async () => {
    vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("Failed to fetch")));
    const { Part } = aPart(fails, fails, comes);
    render(<Part name="it" />);
    await userEvent.click(await screen.findByRole("button", { name: "Load the page again" }));
    expect(await screen.findByText(/Studio does not answer/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Load the page again" }));
    expect(await screen.findByText("Here is it.")).toBeTruthy();
    expect(reloads).toBe(0);
  });
});
