import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { noteRefusal, readAsked, readToken, writeToken } from "../../lib/http/token";
import { fakeStudio, type Reply } from "../../test/studio";
import { exchange, redeem, takeCode } from "./api/exchange";
import { LinkNotice } from "./components/LinkNotice";
import { TokenForm } from "./components/TokenForm";

afterEach(() => writeToken("x"));

describe("a one-time code", () => {
  it("leaves the address, which keeps the rest", () => {
    window.history.replaceState(null, "", "/?s=abc#code=once");
    expect(takeCode(window.location, window.history)).toBe("once");
    expect(window.location.href).toMatch(/\/\?s=abc$/);
    expect(takeCode(window.location, window.history)).toBeNull();
  });
  it("that is empty is none", () => {
    window.history.replaceState(null, "", "/#code=");
    expect(takeCode(window.location, window.history)).toBeNull();
    expect(window.location.hash).toBe("");
  });
  it("is traded for the token", async () => {
    const studio = fakeStudio(() => ({ body: { token: "traded" } }));
    await exchange("once");
    expect(readToken()).toBe("traded");
    expect(studio.asked).toMatchObject([{ method: "POST", path: "/api/token", body: '{"code":"once"}' }]);
  });
  it("that was used changes nothing", async () => {
    sessionStorage.clear();
    fakeStudio(() => ({ status: 401, body: { detail: "Unauthorized" } }));
    await expect(exchange("twice")).rejects.toThrow();
    expect([readToken(), readAsked().state]).toEqual([null, "no"]);
  });
});

describe("a link", () => {
  it.each<[string | null, Reply | "away", boolean]>([
    [null, { status: 401, body: {} }, false],
    ["fresh", { body: { token: "traded" } }, false],
    ["spent", { status: 401, body: { detail: "Unauthorized" } }, true],
    ["early", "away", false],
  ])("with the code %j that is answered %j", async (code, answer, spent) => {
    fakeStudio(() => answer);
    expect(await redeem(code)).toBe(spent);
  });

  it("that was used is said with the command for the token, until it is dismissed", async () => {
    render(<LinkNotice spent />);
    expect(screen.getByRole("status").textContent).toMatch(/used before, or .* podium studio token prints the token to enter instead\.$/);
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("status")).toBeNull();
  });

  it("that was good is not spoken of", () => {
    render(<LinkNotice spent={false} />);
    expect(screen.queryByRole("status")).toBeNull();
  });
});

describe("the form", () => {
  it("is not there while nothing asks", () => {
    render(<TokenForm />);
    expect(screen.queryByRole("form")).toBeNull();
  });

  it("names the command, takes the focus, and keeps what was typed as the token", async () => {
    sessionStorage.clear();
    render(<TokenForm />);
    act(() => noteRefusal(null));
    const field = screen.getByLabelText(/Studio wants its token\. podium studio token prints it/);
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute("type")).toBe("password");
    await userEvent.keyboard("{Enter}");
    expect(readAsked().state).toBe("yes");
    await userEvent.keyboard("  secret {Enter}");
    expect(readToken()).toBe("secret");
    expect(screen.queryByRole("form")).toBeNull();
  });

  it("says when a token was refused", () => {
    writeToken("wrong");
    render(<TokenForm />);
    act(() => noteRefusal("wrong"));
    expect(screen.getByLabelText(/That token was refused/).getAttribute("aria-invalid")).toBe("true");
  });

  it("can be put off and taken up again", async () => {
    sessionStorage.clear();
    render(<TokenForm />);
    act(() => noteRefusal(null));
    await userEvent.click(screen.getByRole("button", { name: "Later" }));
    expect(screen.queryByRole("form")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Enter it" }));
    expect(screen.getByRole("form", { name: "Token" })).toBeTruthy();
  });
});
