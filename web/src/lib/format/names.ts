/** Ids of so many characters are short as they are. */
const shortEnough = 12;

/**
 * An id in eight characters, as every client of a pod shows it: its end, for
 * the ids of one minute begin alike. A short one stays whole.
 */
export function shortId(id: string): string {
  const characters = [...id];
  return characters.length <= shortEnough ? id : characters.slice(-8).join("");
}

/** A name may be of any length; no reader needs more of it than this. */
const longest = 300;

/** Anything that leaves a mark: no blank, no control, no combining or invisible character alone. */
const mark = /[^\p{C}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u;

/**
 * A foreign name as it can be shown: as much of it as can be read, and other
 * words where it has nothing to see.
 */
export function shownName(name: string, otherwise: string): string {
  if (!mark.test(name)) return otherwise;
  if (name.length <= longest) return name;
  // Not through the middle of a character.
  return `${name.slice(0, longest).replace(/[\ud800-\udbff]$/, "")}…`;
}
