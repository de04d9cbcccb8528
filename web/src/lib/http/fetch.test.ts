import { describe, expect, it, vi } from "vitest";
import { eventStream, fakeStudio } from "../../test/studio";
import { ApiError } from "../problem/problem";
import { fetchBlob, fetchEvents, fetchJson, patience } from "./fetch";
import { putOff, readAsked, readToken, writeToken } from "./token";

async function failureOf(what: Promise<unknown>): Promise<ApiError> {
  const e = await what.then(
    () => new Error("it succeeded"),
    (e: unknown) => e,
  );
  if (!(e instanceof ApiError)) throw e;
  return e;
}

describe("fetchJson", () => {
  it("sends no token when there is none, and the bearer when there is", async () => {
    const studio = fakeStudio(() => ({ body: { ok: true } }));
    await fetchJson("/api/runs/");
    writeToken("secret");
    expect(await fetchJson("/api/runs/")).toEqual({ ok: true });
    expect(studio.asked.map((r) => r.headers.get("Authorization"))).toEqual([null, "Bearer secret"]);
  });

  it("sends mutations as JSON, bodyless ones too", async () => {
    const studio = fakeStudio(() => ({ status: 204 }));
    expect(await fetchJson("/api/sessions/x", { method: "DELETE" })).toBeUndefined();
    await fetchJson("/api/token", { method: "POST", body: { code: "c" }, open: true });
    expect(studio.asked.map((r) => [r.method, r.headers.get("Content-Type"), r.body])).toEqual([
      ["DELETE", "application/json", "{}"],
      ["POST", "application/json", '{"code":"c"}'],
    ]);
  });

  it("says that the daemon is away", async () => {
    fakeStudio(() => "away");
    const e = await failureOf(fetchJson("/api/runs/"));
    expect([e.status, e.message, e.unreachable]).toEqual([0, "Studio does not answer.", true]);
  });

  it("gives up on an answer that does not come", async () => {
    fakeStudio(() => new Promise(() => undefined));
    const late = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      expect(ms).toBe(patience);
      return late.signal;
    });
    const answer = failureOf(fetchJson("/api/runs/"));
    late.abort();
    expect((await answer).message).toBe("Studio did not answer within 20 seconds.");
  });

  it("leaves an abort an abort", async () => {
    fakeStudio(() => new Promise(() => undefined));
    const stop = new AbortController();
    const answer = fetchJson("/api/runs/", { signal: stop.signal });
    stop.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });

  it("knows a stranger on the port by what it sends", async () => {
    fakeStudio(() => ({ text: "<html>", type: "text/html" }));
    expect((await failureOf(fetchJson("/api/runs/"))).message).toMatch(/no JSON.*another program/);
  });

  it("says the status of a failure without JSON", async () => {
    fakeStudio(() => ({ status: 500, text: "Internal Server Error", type: "text/plain" }));
    expect((await failureOf(fetchJson("/api/runs/"))).message).toBe("Request failed: 500");
  });

  it("says that an answer was cut", async () => {
    fakeStudio(() => ({ text: '{"runs":[' }));
    expect(await failureOf(fetchJson("/api/runs/"))).toMatchObject({ status: 0, message: "Studio's answer ended early." });
  });

  it("reads the server's own words", async () => {
    fakeStudio(() => ({ status: 503, body: { detail: "run podium store migrate" } }));
    expect(await failureOf(fetchJson("/api/runs/"))).toMatchObject({ status: 503, message: "run podium store migrate" });
  });
});

describe("a 401", () => {
  it("drops the token and asks for another", async () => {
    writeToken("old");
    fakeStudio(() => ({ status: 401, body: { detail: "Unauthorized" } }));
    await failureOf(fetchJson("/api/runs/"));
    expect(readToken()).toBeNull();
    expect(readAsked()).toEqual({ state: "yes", refused: true });
  });

  it("keeps a token that is newer than the request", async () => {
    writeToken("old");
    fakeStudio(() => {
      writeToken("new");
      return { status: 401, body: { detail: "Unauthorized" } };
    });
    await failureOf(fetchJson("/api/runs/"));
    expect(readToken()).toBe("new");
    expect(readAsked()).toEqual({ state: "no" });
  });

  it("asks once: put off, it stays so", async () => {
    fakeStudio(() => ({ status: 401, body: { detail: "Unauthorized" } }));
    await failureOf(fetchJson("/api/runs/"));
    putOff();
    await failureOf(fetchJson("/api/runs/"));
    expect(readAsked()).toEqual({ state: "later", refused: false });
    writeToken("x");
  });

  it("of a route without a token is about something else", async () => {
    writeToken("kept");
    const studio = fakeStudio(() => ({ status: 401, body: { detail: "Unauthorized" } }));
    await failureOf(fetchJson("/api/token", { method: "POST", body: { code: "c" }, open: true }));
    expect([readToken(), readAsked().state, studio.asked[0]?.headers.get("Authorization")]).toEqual(["kept", "no", null]);
  });
});

describe("fetchBlob", () => {
  it("gives the whole document", async () => {
    fakeStudio(() => ({ text: "# hello", type: "text/markdown" }));
    expect((await fetchBlob("/api/sessions/x/export")).size).toBe(7);
  });
  it("fails as everything else does", async () => {
    fakeStudio(() => ({ status: 404, body: { detail: "gone" } }));
    expect(await failureOf(fetchBlob("/x"))).toMatchObject({ status: 404, message: "gone" });
    fakeStudio(() => ({ status: 500, text: "oops", type: "text/plain" }));
    expect((await failureOf(fetchBlob("/x"))).message).toBe("Request failed: 500");
  });
});

describe("fetchEvents", () => {
  const signal = () => new AbortController().signal;

  it("carries the bearer and the newest id, and gives events until the server ends them", async () => {
    const source = eventStream();
    const studio = fakeStudio(() => ({ events: source.stream }));
    writeToken("secret");
    source.send({ n: 1 }, "5.1");
    source.send({ n: 2 });
    source.end();
    const events = [];
    for await (const e of fetchEvents("/api/fleet/stream", { signal: signal(), lastEventId: "5.0", silence: 1_000 })) events.push(e);
    expect(events).toEqual([
      { id: "5.1", data: '{"n":1}' },
      { id: "5.1", data: '{"n":2}' },
    ]);
    const headers = studio.asked[0]?.headers;
    expect([headers?.get("Authorization"), headers?.get("Last-Event-ID"), headers?.get("Accept")]).toEqual(["Bearer secret", "5.0", "text/event-stream"]);
  });

  it("says a refusal in the server's words, and names an answer that is no stream", async () => {
    fakeStudio(() => ({ status: 404, body: { detail: "Not Found" } }));
    expect((await failureOf(fetchEvents("/s", { signal: signal(), silence: 1_000 }).next())).message).toBe("Not Found");
    fakeStudio(() => ({ text: "<html>", type: "text/html" }));
    expect((await failureOf(fetchEvents("/s", { signal: signal(), silence: 1_000 }).next())).message).toMatch(/is no stream/);
  });

  it("tells a break from a silence", async () => {
    const broken = eventStream();
    fakeStudio(() => ({ events: broken.stream }));
    const first = fetchEvents("/s", { signal: signal(), silence: 60_000 }).next();
    broken.fail();
    expect((await failureOf(first)).message).toBe("Studio's stream broke off.");
    const silent = eventStream();
    fakeStudio(() => ({ events: silent.stream }));
    expect((await failureOf(fetchEvents("/s", { signal: signal(), silence: 20 }).next())).message).toBe("Studio's stream fell silent.");
    expect(silent.closed()).toBe(true);
  });

  it("lets go of the connection when nobody wants the events any more", async () => {
    const source = eventStream();
    fakeStudio(() => ({ events: source.stream }));
    source.send({ n: 1 });
    for await (const _ of fetchEvents("/s", { signal: signal(), silence: 1_000 })) break;
    await vi.waitFor(() => expect(source.closed()).toBe(true));
    const stop = new AbortController();
    fakeStudio(() => new Promise(() => undefined));
    const aborted = fetchEvents("/s", { signal: stop.signal, silence: 1_000 }).next();
    stop.abort();
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  });
});
