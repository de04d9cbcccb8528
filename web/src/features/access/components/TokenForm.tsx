import { useEffect, useRef, useState } from "react";
import { askForToken, putOff, writeToken } from "../../../lib/http/token";
import { useAsked } from "../state/useAsked";

/** Asks once for the token, when Studio wants it. */
export function TokenForm() {
  const asked = useAsked();
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const open = asked.state === "yes";
  useEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  if (asked.state === "no") return null;
  if (asked.state === "later") {
    return (
      <div className="strip" role="status">
        <span>Studio wants its token.</span>
        <button type="button" onClick={askForToken}>
          Enter it
        </button>
      </div>
    );
  }
  return (
    <form
      className="strip token-form"
      aria-label="Token"
      onSubmit={(e) => {
        e.preventDefault();
        const token = text.trim();
        if (token === "") return;
        setText("");
        writeToken(token);
      }}
    >
      <label htmlFor="token">
        {asked.refused ? "That token was refused. " : "Studio wants its token. "}
        <code>podium studio token</code> prints it:
      </label>
      <input
        id="token"
        ref={field}
        type="password"
        value={text}
        onChange={(e) => setText(e.target.value)}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={asked.refused}
      />
      <button type="submit">Use it</button>
      <button type="button" onClick={putOff}>
        Later
      </button>
    </form>
  );
}
