const SHOWN_LENGTH = 60;

/** A user's string in a message: quoted and cut short. */
export function quote(text: string): string {
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return JSON.stringify(shown);
}

/** A value in a message; visits no more of a large value than it shows. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === undefined ? 'nothing' : 'an object';
}
