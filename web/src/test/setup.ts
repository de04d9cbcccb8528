import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { forgetLowerBounds } from "../lib/state/lowerBound";

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 15_000 });

// What jsdom lacks of a browser, as far as the page needs it.

/** Elements have a size, so that a list has rows in sight. */
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 640 },
  clientWidth: { configurable: true, get: () => 520 },
});

HTMLElement.prototype.scrollTo = function (this: HTMLElement, to?: ScrollToOptions | number) {
  if (typeof to === "object") this.scrollTop = to.top ?? 0;
  this.dispatchEvent(new Event("scroll"));
};

HTMLDialogElement.prototype.showModal = function () {
  this.open = true;
};
HTMLDialogElement.prototype.close = function () {
  if (!this.open) return;
  this.open = false;
  this.dispatchEvent(new Event("close"));
};

globalThis.CSS ??= { escape: (text: string) => text.replace(/[^\w-]/g, "\\$&") } as typeof CSS;

globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

window.matchMedia ??= () => ({ matches: false, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList;

afterEach(() => {
  cleanup();
  forgetLowerBounds();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
  window.history.replaceState(null, "", "/");
  delete document.documentElement.dataset["theme"];
});
