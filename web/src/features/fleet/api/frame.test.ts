import { describe, expect, it } from "vitest";
import { aFleet, aFleetRun, aPod } from "../../../test/fleet";
import { ForeignFrame, readFrame } from "./frame";

describe("a frame of the stream", () => {
  const change = { type: "change", ...aFleet([aPod()], [aFleetRun()]), gone_pods: ["x"], gone_runs: [] };

  it.each([{ type: "reset", ...aFleet([aPod()], [aFleetRun()]) }, change, { type: "heartbeat" }])("is read: $type", (frame) => {
    expect(readFrame(JSON.stringify(frame))).toEqual(frame);
  });

  it("of a kind that a newer daemon has is nothing", () => expect(readFrame('{"type":"weather"}')).toBeNull());

  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["no type", "{}"],
    ["a type that is no word", '{"type":1}'],
    ["no pods", '{"type":"reset","as_of":1,"runs":[]}'],
    ["no time", '{"type":"reset","pods":[],"runs":[]}'],
    ["a pod without a name", '{"type":"reset","as_of":1,"pods":[{}],"runs":[]}'],
    ["a run without an id", '{"type":"reset","as_of":1,"pods":[],"runs":[null]}'],
    ["names that are none", JSON.stringify({ ...change, gone_pods: [1] })],
    ["nothing about what is gone", JSON.stringify({ ...change, gone_runs: undefined })],
  ])("with %s is refused", (_, text) => expect(() => readFrame(text)).toThrow(ForeignFrame));
});
