import { expect, it } from "vitest";
import { speaker } from "./speaker";

it.each([
  ["", "you", undefined],
  ["user", "you", undefined],
  ["podium/0.1.0 (pts/3)", "you", "podium/0.1.0 (pts/3)"],
  ["podium-studio/0.1.0", "you", "podium-studio/0.1.0"],
  ["podiumist", "podiumist", undefined],
  ["ci", "ci", undefined],
])("an input by %j is said by %j", (client, who, by) => {
  expect(speaker(client)).toEqual(by === undefined ? { who } : { who, by });
});
