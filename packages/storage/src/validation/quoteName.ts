const SHOWN_LENGTH = 60;

/** A name of the user's in a message: quoted, cut short. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name);
}
