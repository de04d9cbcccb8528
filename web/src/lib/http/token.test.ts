import { afterEach, describe, expect, it, vi } from "vitest";
import { askForToken, noteRefusal, onAsked, putOff, readAsked, readToken, writeToken } from "./token";

afterEach(() => {
  writeToken("x");
  noteRefusal("x");
  writeToken("x");
  sessionStorage.clear();
});

function withoutStorage(): void {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", { getItem: refuse, setItem: refuse, removeItem: refuse, clear: () => undefined });
}

describe("the token", () => {
  it("lives in sessionStorage and nowhere else", () => {
    writeToken("secret");
    expect(sessionStorage.getItem("podium.token")).toBe("secret");
    expect(localStorage.length).toBe(0);
    expect(window.location.href).not.toContain("secret");
  });

  it("lives in memory where storage is switched off, and is dropped there too", () => {
    withoutStorage();
    writeToken("held");
    expect(readToken()).toBe("held");
    noteRefusal("held");
    expect(readToken()).toBeNull();
  });
});

describe("asking", () => {
  it("begins with a refusal, tells listeners once, and ends with a token", () => {
    sessionStorage.clear();
    const tell = vi.fn();
    const stop = onAsked(tell);
    noteRefusal(null);
    noteRefusal(null);
    expect(readAsked()).toEqual({ state: "yes", refused: false });
    expect(tell).toHaveBeenCalledTimes(1);
    writeToken("t");
    expect(readAsked()).toEqual({ state: "no" });
    expect(tell).toHaveBeenCalledTimes(2);
    stop();
    noteRefusal("t");
    expect(tell).toHaveBeenCalledTimes(2);
    expect(readAsked()).toEqual({ state: "yes", refused: true });
  });

  it("can be put off and taken up again", () => {
    putOff();
    expect(readAsked().state).toBe("no");
    askForToken();
    putOff();
    expect(readAsked()).toEqual({ state: "later", refused: false });
    askForToken();
    expect(readAsked()).toEqual({ state: "yes", refused: false });
  });
});
