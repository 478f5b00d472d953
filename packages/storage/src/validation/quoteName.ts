const SHOWN_LENGTH = 60;

/** A user-supplied name for a message: quoted and truncated. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name);
}
