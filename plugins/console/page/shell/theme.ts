const KEY = 'millrace.console.theme';
const THEMES = ['auto', 'light', 'dark'] as const;

/** `auto` follows the system. */
export type Theme = (typeof THEMES)[number];

/** The chosen theme; `auto` where the browser stores nothing. */
export function readTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

/** Shows a theme, and keeps it if one is given. */
export function applyTheme(theme?: Theme): void {
  document.documentElement.dataset['theme'] = theme ?? readTheme();
  if (theme === undefined) return;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Shown until the reload.
  }
}

/** The theme after this one, for a button. */
export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
}
