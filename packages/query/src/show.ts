import type { JsonValue } from '@millrace/language';

const SHOWN_LENGTH = 60;

/** A value in an error message: JSON, cut short. Visits no more of a large value than it shows. */
export function show(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value).slice(0, 4);
    if (keys.length === 0) return 'an empty object';
    return `an object (${keys.map((key) => cut(key)).join(', ')})`;
  }
  return typeof value === 'string' ? JSON.stringify(cut(value)) : String(value);
}

function cut(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

/** A user's name in a message, quoted and cut short. */
export function quote(name: string): string {
  return `"${cut(name)}"`;
}
