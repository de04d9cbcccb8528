import { useState } from "react";

/** Puts a text into the clipboard, and says whether that worked. */
export function CopyButton({ text, what, title }: { text: string; what: string; title?: string }) {
  const [done, setDone] = useState<"" | "copied" | "not copied">("");
  return (
    <>
      <button
        type="button"
        className="quiet"
        title={title}
        onClick={() => {
          // Only pages of this machine or with a certificate have a clipboard.
          const written = navigator.clipboard === undefined ? Promise.reject(new Error("no clipboard")) : navigator.clipboard.writeText(text);
          void written.then(
            () => setDone("copied"),
            () => setDone("not copied"),
          );
        }}
        onBlur={() => setDone("")}
      >
        Copy {what}
      </button>
      <span role="status">{done}</span>
    </>
  );
}
