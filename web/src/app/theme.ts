import { recall, remember } from "../lib/memory/memory";

/** auto follows the system. */
export type Theme = "auto" | "light" | "dark";

const key = "podium.theme";

export function readTheme(): Theme {
  const t = recall(key);
  return t === "light" || t === "dark" ? t : "auto";
}

/** Applies and remembers a theme. */
export function applyTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  remember(key, theme === "auto" ? null : theme);
}

export function nextTheme(theme: Theme): Theme {
  return theme === "auto" ? "light" : theme === "light" ? "dark" : "auto";
}
