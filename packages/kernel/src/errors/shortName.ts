const SHOWN_LENGTH = 80;

/** A refused name for an error message, cut to at most 80 characters. */
export function shortName(name: string): string {
  return name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;
}
