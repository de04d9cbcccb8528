import { useEffect, useId, useRef, useState } from "react";
import { clock, compact, grouped } from "../../../lib/format/format";
import { ApiError } from "../../../lib/problem/problem";
import type { DisplayState } from "../../../lib/state/state";
import { StateShape } from "../../../lib/state/StateShape";
import { bytesOf, mostBytes, type Method } from "../api/pod";
import { refusal, usualOf, type LivePod } from "../state/actions";
import { useCalls, type Call } from "../state/calls";
import { doing, names, taken, titles } from "../state/words";
import { draftOf, keepDraft } from "../state/drafts";

interface Props {
  pod: LivePod;
  /** Why nothing can be said to it now; null while it can. */
  closed: React.ReactNode | null;
}

/** Where one talks to a pod: a message, a note, and what stops or compacts it. */
export function PodDock({ pod, closed }: Props) {
  const calls = useCalls(pod.name);
  const { call, send, settle, clear } = calls;
  const field = useRef<HTMLTextAreaElement>(null);
  const [empty, setEmpty] = useState(() => draftOf(pod.name) === "");
  const [tooLarge, setTooLarge] = useState<number | null>(null);
  const hint = useId();

  // What was taken has shown by the time that the pod is in another state. A
  // refusal stays: the state that it comes from may be heard of after it.
  useEffect(settle, [settle, pod.state]);
  useEffect(clear, [clear, pod.problem?.at]);

  const usual = usualOf(pod.state);
  const why = (method: Method): string | null => {
    if (closed !== null) return "The pod cannot be reached.";
    const refused = refusal(pod.state, method);
    if (refused !== null) return refused;
    if (call.state === "out") return "An answer is awaited.";
    if (method !== "run" && method !== "notify") return null;
    return empty ? "There is nothing to send." : tooLarge !== null ? "The text is too long." : null;
  };
  const say = async (method: "run" | "notify") => {
    const text = field.current?.value ?? "";
    if (why(method) !== null || text.trim() === "") return;
    const bytes = bytesOf(method, text);
    if (bytes > mostBytes) {
      setTooLarge(bytes);
      return;
    }
    if (!(await send(method, text))) return;
    // What was typed meanwhile is the next message.
    if (draftOf(pod.name) === text) keepDraft(pod.name, "");
    if (field.current?.value === text) {
      field.current.value = "";
      setEmpty(true);
    }
  };
  const button = (method: Method, act: () => void) => {
    const reason = why(method);
    return (
      <button
        type="button"
        className={method === usual ? "usual" : undefined}
        aria-disabled={reason !== null}
        title={reason ?? titles[method]}
        onClick={() => {
          if (reason === null) act();
        }}
      >
        {names[method]}
      </button>
    );
  };
  const paused = refusal(pod.state, "resume") === null && pod.state === "paused";
  const state = shapes[pod.state] ?? "idle";
  return (
    <section className="dock" aria-label={`Pod ${pod.name}`}>
      <textarea
        id="message"
        ref={field}
        dir="auto"
        rows={1}
        defaultValue={draftOf(pod.name)}
        readOnly={closed !== null}
        placeholder={usual === "run" ? `message ${pod.name}` : `note to ${pod.name}, read before its next request`}
        aria-label={usual === "run" ? `Message to pod ${pod.name}` : `Note to pod ${pod.name}`}
        aria-describedby={hint}
        aria-keyshortcuts="m"
        onChange={(e) => {
          const text = e.target.value;
          keepDraft(pod.name, text);
          setEmpty(text.trim() === "");
          // A short text need not be measured.
          const bytes = text.length * 6 > mostBytes ? bytesOf("notify", text) : 0;
          setTooLarge(bytes > mostBytes ? bytes : null);
          if (call.state === "failed" || call.state === "taken") clear();
        }}
        onKeyDown={(e) => {
          if (e.key === "Escape") {
            e.stopPropagation();
            e.currentTarget.blur();
            return;
          }
          // The Enter that ends a composition is the input method's.
          if (e.key !== "Enter" || e.shiftKey || e.nativeEvent.isComposing || e.keyCode === 229) return;
          if (e.ctrlKey || e.metaKey || e.altKey) return;
          e.preventDefault();
          void say(usual);
        }}
      />
      <div className="dock-line">
        <span className="dock-state">
          <StateShape state={state} />
          <span className={`state-${state}`}>{pod.state}</span>
          {pod.tool === null || pod.state !== "running" ? null : <bdi className="dock-tool">{pod.tool}</bdi>}
          {pod.context_tokens === null || pod.context_limit === null ? null : (
            <span className="dock-context number" title="tokens of the context that are in use">
              {compact(pod.context_tokens)} of {compact(pod.context_limit)}
            </span>
          )}
        </span>
        <span className="dock-acts">
          {button("compact", () => void send("compact"))}
          {button("cancel", () => void send("cancel"))}
          {paused ? button("resume", () => void send("resume")) : button("pause", () => void send("pause"))}
          {button("notify", () => void say("notify"))}
          {button("run", () => void say("run"))}
        </span>
      </div>
      <p className="dock-told" id={hint} role="status">
        {closed !== null ? closed : tooLarge !== null ? <TooLarge bytes={tooLarge} /> : call.state === "none" && pod.state === "unresponsive" ? <Silent pod={pod.name} /> : <Told call={call} pod={pod} />}
      </p>
    </section>
  );
}

const shapes: Record<string, DisplayState> = {
  idle: "idle", running: "running", paused: "paused", compacting: "compacting", unresponsive: "unresponsive",
  dead: "unresponsive",
};

function Silent({ pod }: { pod: string }) {
  return (
    <span>
      Pod <bdi>{pod}</bdi> does not answer. <code>podium stop {pod}</code> ends it; its session stays.
    </span>
  );
}

function TooLarge({ bytes }: { bytes: number }) {
  return (
    <span className="problem">
      This text has {grouped(String(bytes))} bytes; a message may have {grouped(String(mostBytes))}. Save it to a file and name the file.
    </span>
  );
}

function Told({ call, pod }: { call: Call; pod: LivePod }) {
  switch (call.state) {
    case "none":
      return pod.problem === null ? null : (
        <span className="problem">
          The compaction failed, {clock(pod.problem.at)}: <bdi>{sentence(pod.problem.text)}</bdi>
        </span>
      );
    case "out":
      return <span>{doing[call.method]}…</span>;
    case "taken":
      return (
        <span>
          {taken[call.method]}, {clock(call.at / 1000)}.
        </span>
      );
    case "failed":
      return <Failed problem={call.problem} method={call.method} pod={pod.name} />;
  }
}

/** The pod's own words, and what may be done. */
function Failed({ problem, method, pod }: { problem: ApiError; method: Method; pod: string }) {
  return (
    <span className="problem">
      {problem.code === undefined ? null : (
        <>
          <code>{problem.code}</code>:{" "}
        </>
      )}
      <bdi>{sentence(problem.message)}</bdi>
      {problem.status === 404 ? ` Pod ${pod} is gone.` : null}
      {problem.passing && (method === "run" || method === "notify") ? " It may have arrived; sent again it is not said twice." : null}
    </span>
  );
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
