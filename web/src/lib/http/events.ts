/** One server-sent event. */
export interface ServerEvent {
  /** The newest id of the stream up to here; empty before the first. */
  id: string;
  data: string;
}

/** How much one event may hold, in characters, before the stream counts as broken. */
export const largestEvent = 32 << 20;

/**
 * Reads server-sent events out of text that comes in any pieces (WHATWG HTML
 * 9.2.6). Names of events and times for a retry are left aside: nothing here
 * depends on them. An event larger than largestEvent is an error.
 */
export class EventParser {
  // Pieces of the line that has no end yet.
  private pieces: string[] = [];
  private size = 0;
  private data: string[] = [];
  private id = "";
  private begun = false;
  // The text before ended with CR: an LF that comes first belongs to it.
  private afterReturn = false;

  /** Takes the next piece and gives the events that it completes. */
  push(text: string): ServerEvent[] {
    if (text === "") return [];
    if (!this.begun) {
      this.begun = true;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    const events: ServerEvent[] = [];
    let from = this.afterReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.afterReturn = text.endsWith("\r");
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = from;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      this.pieces.push(text.slice(from, end.index));
      const line = this.pieces.length === 1 ? (this.pieces[0] ?? "") : this.pieces.join("");
      this.pieces = [];
      from = ends.lastIndex;
      const event = this.line(line);
      if (event !== null) events.push(event);
    }
    if (from < text.length) {
      this.pieces.push(text.slice(from));
      this.grow(text.length - from);
    }
    return events;
  }

  private line(line: string): ServerEvent | null {
    if (line === "") {
      const data = this.data;
      this.data = [];
      this.size = 0;
      return data.length === 0 ? null : { id: this.id, data: data.join("\n") };
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") {
      this.data.push(value);
      this.grow(value.length);
    } else if (field === "id" && !value.includes("\0")) this.id = value;
    return null;
  }

  private grow(by: number): void {
    this.size += by;
    if (this.size > largestEvent) throw new RangeError("an event of the stream is too large");
  }
}
