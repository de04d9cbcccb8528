import { expect, it, vi } from "vitest";
import { recall, remember } from "./memory";

it("keeps and forgets", () => {
  remember("podium.x", "1");
  expect(recall("podium.x")).toBe("1");
  remember("podium.x", null);
  expect(recall("podium.x")).toBeNull();
});

it("works without storage, and forgets", () => {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse, removeItem: refuse, clear: () => undefined });
  expect(() => remember("podium.x", "1")).not.toThrow();
  expect(recall("podium.x")).toBeNull();
});
