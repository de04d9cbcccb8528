import { afterEach, describe, expect, it } from "vitest";
import { asOf, longDay, shortDay } from "./days";

const zone = process.env["TZ"];
afterEach(() => {
  process.env["TZ"] = zone;
});

describe("a day", () => {
  // Midnight does not exist on the last, and is another day in UTC on the others.
  it.each(["UTC", "Asia/Tokyo", "America/Los_Angeles", "Pacific/Kiritimati", "America/Santiago"])("is the same date in %s, on days with a change of clocks too", (tz) => {
    process.env["TZ"] = tz;
    expect(shortDay("2026-03-29")).toBe("29 Mar");
    expect(longDay("2026-10-25")).toBe("Sun 25 Oct 2026");
    expect(longDay("2026-09-06")).toBe("Sun 6 Sept 2026");
  });
  it("that is none is shown as it came", () => expect(shortDay("soon")).toBe("soon"));
});

describe("the time of a reading", () => {
  const at = Date.UTC(2026, 4, 3, 14, 2) / 1000;
  it("is a time of day in the viewer's zone, with its date on another day", () => {
    process.env["TZ"] = "UTC";
    expect(asOf(at, new Date((at + 60) * 1000))).toBe("14:02");
    expect(asOf(at, new Date((at + 86_400) * 1000))).toBe("3 May 14:02");
    process.env["TZ"] = "Asia/Tokyo";
    expect(asOf(at, new Date((at + 60) * 1000))).toBe("23:02");
  });
});
