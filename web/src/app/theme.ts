export type Theme = "auto" | "light" | "dark";

const key = "podium.theme";

export function readTheme(): Theme {
  const t = localStorage.getItem(key);
  return t === "light" || t === "dark" ? t : "auto";
}

/** Applies and remembers a theme; auto follows the system. */
export function applyTheme(theme: Theme): void {
  if (theme === "auto") {
    delete document.documentElement.dataset["theme"];
    localStorage.removeItem(key);
    return;
  }
  document.documentElement.dataset["theme"] = theme;
  localStorage.setItem(key, theme);
}

export function nextTheme(theme: Theme): Theme {
  return theme === "auto" ? "light" : theme === "light" ? "dark" : "auto";
}
