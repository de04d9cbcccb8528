import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { noteRefusal, readAsked, readToken, writeToken } from "../../lib/http/token";
import { fakeStudio } from "../../test/studio";
import { exchange, takeCode } from "./api/exchange";
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
