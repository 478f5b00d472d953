import type { ComponentChildren, RefObject, TextareaHTMLAttributes } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A problem of a JSON text, with the character where it is if that is known. */
export interface JsonProblem {
  readonly message: string;
  readonly at?: number | undefined;
  /** The end of what is wrong; absent: one character. */
  readonly to?: number | undefined;
}

/** @returns the value, or the problem and where it is */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: JsonProblem } {
  try {
    const value: unknown = JSON.parse(text);
    const unsafe = findUnsafeNumber(text);
    if (unsafe === undefined) return { value };
    const message = `${unsafe.digits} has more digits than JavaScript keeps: change other fields in the form, or send it with another client`;
    return { problem: { message, at: unsafe.at } };
  } catch (error) {
    const { message } = error as Error;
    const at = /position (\d+)/.exec(message)?.[1];
    const place = /line (\d+) column (\d+)/.exec(message);
    if (at !== undefined) return { problem: { message, at: Number(at) } };
    if (place !== null) return { problem: { message, at: offsetOf(text, Number(place[1]), Number(place[2])) } };
    return { problem: { message, at: text.length } };
  }
}

/** Parses a JSON object. */
export function parseObject(
  text: string,
): { readonly value: Readonly<Record<string, unknown>> } | { readonly problem: JsonProblem } {
  const parsed = parseJson(text.trim() === '' ? '{}' : text);
  if ('problem' in parsed) return parsed;
  const { value } = parsed;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { value: value as Record<string, unknown> };
  return { problem: { message: 'expected an object: { … }', at: 0 } };
}

/** Where an error of the server is in the text: at the first name that its message quotes and the text has. */
export function placeOf(message: string, text: string): JsonProblem {
  for (const [, name] of message.matchAll(/["`']([^"`']{1,80})["`']/g)) {
    const at = text.indexOf(`"${name?.split('.').at(-1)}"`);
    if (at >= 0) return { message, at };
  }
  return { message };
}

/** A text field for JSON that shows a problem below it, with its place. */
export function JsonField({
  label,
  value,
  problem,
  rows = 14,
  isReadOnly = false,
  onChange,
  onRun,
  area: given,
  attributes,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly problem?: JsonProblem | undefined;
  readonly rows?: number;
  readonly isReadOnly?: boolean;
  readonly onChange?: (value: string) => void;
  /** Ctrl+Enter or ⌘+Enter. */
  readonly onRun?: (() => void) | undefined;
  /** Of an editor that does more: its reference, what it adds to the text field, and what it shows over it. */
  readonly area?: RefObject<HTMLTextAreaElement | null>;
  readonly attributes?: TextareaHTMLAttributes<HTMLTextAreaElement>;
  readonly children?: ComponentChildren;
}) {
  const own = useRef<HTMLTextAreaElement>(null);
  const area = given ?? own;
  const { at, to = (at ?? 0) + 1 } = problem ?? {};
  useEffect(() => {
    if (at === undefined || area.current === null) return;
    area.current.focus();
    area.current.setSelectionRange(at, to);
  }, [problem]);
  const lines = at === undefined ? undefined : value.slice(0, at).split('\n');
  const line = lines?.length;
  return (
    <div class="json-field">
      <div class="json-area">
        {children}
        <textarea
          ref={area}
          class="code"
          aria-label={label}
          aria-invalid={problem !== undefined}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="none"
          rows={rows}
          readOnly={isReadOnly}
          value={value}
          onInput={(event) => onChange?.(event.currentTarget.value)}
          {...attributes}
          onKeyDown={(event) => {
            attributes?.onKeyDown?.(event);
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            onRun?.();
          }}
        />
      </div>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {lines !== undefined && (
            <strong>
              Line {line}, column {(lines.at(-1)?.length ?? 0) + 1}:{' '}
            </strong>
          )}
          <bdi>{problem.message}</bdi>
        </p>
      )}
      {problem !== undefined && line !== undefined && (
        <pre class="problem-line">{value.split('\n')[line - 1]?.slice(0, 400)}</pre>
      )}
    </div>
  );
}

/** JSON for a text field. */
export function toText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
}

/** Integers beyond 2^53 would be stored with other digits. */
function findUnsafeNumber(text: string): { readonly digits: string; readonly at: number } | undefined {
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (!token.startsWith('"') && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
      return { digits: token, at: index };
    }
  }
  return undefined;
}
