/** Level names by pino's numbers. */
export const LEVELS: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
};

/**
 * Formats a JSON log line for a terminal: local time, level, message, `key=value`, and the stack of an error below.
 */
export function toTextLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as LogLine;
  const values = Object.entries({ ...fields, ...(err && { error: err.message }) });
  const parts = [
    new Date(time).toLocaleTimeString('en-GB'),
    (LEVELS[level] ?? String(level)).padEnd(5),
    printable(msg ?? ''),
    ...values.map(([name, value]) => printable(`${name}=${shown(value)}`)),
  ];
  const stack = (err?.stack ?? '').split('\n').slice(1).map(printable);
  return `${[parts.join(' '), ...stack].join('\n')}\n`;
}

interface LogLine {
  readonly level: number;
  /** Milliseconds. */
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly message: string; readonly stack?: string };
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

/** Values come from clients: a control character could clear or forge the terminal's output. */
function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
