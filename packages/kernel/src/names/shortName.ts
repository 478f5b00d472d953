const SHOWN_LENGTH = 80;

/** A refused name as an error message shows it: at most 80 characters. */
export function shortName(name: string): string {
  return name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;
}
