import { describe, expect, it } from "vitest";
import { EventParser, largestEvent, type ServerEvent } from "./events";

function parse(...pieces: string[]): ServerEvent[] {
  const parser = new EventParser();
  return pieces.flatMap((p) => parser.push(p));
}

/** Numbers that are the same on every run (mulberry32). */
function randoms(seed: number): (below: number) => number {
  let a = seed;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

describe("the reading of server-sent events", () => {
  it.each<[string, string, ServerEvent[]]>([
    ["one event", "id: 1.1\ndata: a\n\n", [{ id: "1.1", data: "a" }]],
    ["no event without its end", "data: a\n", []],
    ["no event without data, though its id counts", "id: 7\n\ndata: a\n\n", [{ id: "7", data: "a" }]],
    ["data of several lines", "data: a\ndata:\ndata:  b\n\n", [{ id: "", data: "a\n\n b" }]],
    ["an id that lasts until the next", "id: 1\ndata: a\n\ndata: b\n\n", [{ id: "1", data: "a" }, { id: "1", data: "b" }]],
    ["an id that is taken back", "id: 1\ndata: a\n\nid\ndata: b\n\n", [{ id: "1", data: "a" }, { id: "", data: "b" }]],
    ["no id with a NUL", "id: 1\0\ndata: a\n\n", [{ id: "", data: "a" }]],
    ["comments and fields that it does not know", ": hello\nevent: x\nretry: 5\nfoo\ndata: a\n\n", [{ id: "", data: "a" }]],
    ["ends of lines of every kind", "data: a\r\ndata: b\rdata: c\n\r\n", [{ id: "", data: "a\nb\nc" }]],
    ["a mark of byte order, once", "\uFEFFdata: a\n\n\uFEFFdata: b\n\n", [{ id: "", data: "a" }]],
    ["a colon in the value", "data:a:b\n\n", [{ id: "", data: "a:b" }]],
    ["no value", "data\n\n", [{ id: "", data: "" }]],
  ])("%s", (_, text, events) => expect(parse(text)).toEqual(events));

  it("does not depend on where the bytes are cut", () => {
    const random = randoms(7);
    const parts = ["data: é漢🙂", "data:", "data", "id: 1.2", "id", ": c", "x: y", "", "", "\r", "\r\n", "\n", "\n\n", "\uFEFF", "data: \u202eabc"];
    for (let round = 0; round < 500; round++) {
      let text = "";
      for (let i = random(30); i >= 0; i--) text += (parts[random(parts.length)] ?? "") + (["\n", "\r\n", "\r", "\n\n", "\r\r", "\r\n\r\n"][random(6)] ?? "");
      const whole = parse(text);
      const bytes = new TextEncoder().encode(text);
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      const parser = new EventParser();
      const pieces: ServerEvent[] = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + random(random(4) === 0 ? 40 : 4);
        pieces.push(...parser.push(decoder.decode(bytes.slice(at, end), { stream: true })));
        at = end;
      }
      expect(pieces, JSON.stringify(text)).toEqual(whole);
    }
  });

  it("gives back what was written, whatever it is", () => {
    const random = randoms(11);
    for (let round = 0; round < 200; round++) {
      const sent = Array.from({ length: 1 + random(5) }, (_, n) => ({
        id: `9.${n}`,
        data: JSON.stringify({ name: String.fromCodePoint(...Array.from({ length: random(20) }, () => 1 + random(0xd000))) }),
      }));
      expect(parse(...sent.map((e) => `id: ${e.id}\ndata: ${e.data}\n\n`))).toEqual(sent);
    }
  });

  it("ends with an event that would fill the memory", () => {
    const parser = new EventParser();
    const piece = "x".repeat(1 << 20);
    expect(() => {
      for (let n = 0; n <= largestEvent / piece.length; n++) parser.push(piece);
    }).toThrow(RangeError);
  });
});
