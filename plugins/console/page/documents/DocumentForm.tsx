import { useEffect, useState } from 'preact/hooks';
import type { Fields } from '../connection.js';
import { isNumeric, valueAt, type Column } from './columns.js';
import { keyOf, leavesOf, withValue, type Path } from './merge.js';

interface DocumentFormProps {
  readonly value: Fields;
  readonly columns: readonly Column[];
  readonly isReadOnly: boolean;
  readonly onChange: (value: Fields) => void;
  /** The problem of a field, or none any more. */
  readonly onProblem: (key: string, problem: string | undefined) => void;
}

/** The fields of a document, and those of the mapping that it lacks. */
export function DocumentForm({ value, columns, isReadOnly, onChange, onProblem }: DocumentFormProps) {
  const leaves = leavesOf(value);
  const present = new Set(leaves.map(({ path }) => path.join('.')));
  const absent = columns.filter(({ name }) => !present.has(name) && valueAt(value, name) === undefined);
  const fields = [
    ...leaves.map(({ path, value: leaf }) => ({ path, leaf, isAbsent: false })),
    ...absent.map(({ name }) => ({ path: name.split('.'), leaf: undefined, isAbsent: true })),
  ];
  return (
    <div class="stack form">
      {fields.map(({ path, leaf, isAbsent }) => (
        <Field
          key={keyOf(path)}
          path={path}
          value={leaf}
          type={columns.find(({ name }) => name === path.join('.'))?.type}
          isAbsent={isAbsent}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange(withValue(value, path, next))}
          onProblem={(problem) => onProblem(keyOf(path), problem)}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly path: Path;
  readonly value: unknown;
  readonly type: string | undefined;
  readonly isAbsent: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (value: unknown) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

/** Longer strings get several lines. */
const SHORT_TEXT = 60;
/** Larger values are shown cut: they can be changed as JSON. */
const MAX_SHOWN = 20_000;

function Field({ path, value, type, isAbsent, isReadOnly, onChange, onProblem }: FieldProps) {
  const kind = kindOf(value, type);
  const [text, setText] = useState(toFieldText(value));
  const [problem, setProblem] = useState<string>();
  // A value from elsewhere: a merge, or a choice in a conflict.
  useEffect(() => {
    const parsed = parse(text, kind);
    if (!('value' in parsed) || JSON.stringify(parsed.value) !== JSON.stringify(value)) setText(toFieldText(value));
  }, [value]);
  const change = (next: string) => {
    setText(next);
    if (next === '' && isAbsent) return onChange(undefined);
    const parsed = parse(next, kind);
    const found = 'problem' in parsed ? parsed.problem : undefined;
    setProblem(found);
    onProblem(found);
    if ('value' in parsed) onChange(parsed.value);
  };
  const isCut = text.length > MAX_SHOWN;
  const shared = {
    value: isCut ? text.slice(0, MAX_SHOWN) : text,
    readOnly: isReadOnly || isCut,
    'aria-invalid': problem !== undefined,
    placeholder: isAbsent ? 'no value' : '',
    dir: 'auto' as const,
  };
  const isLong = kind === 'json' || text.length > SHORT_TEXT || text.includes('\n');
  return (
    <label class="field">
      <span>
        <bdi>{path.join('.')}</bdi> <span class="soft small">{type ?? (kind === 'json' ? 'JSON' : typeof value)}</span>
      </span>
      {kind === 'boolean' ? (
        <select value={text} disabled={isReadOnly} onChange={(event) => change(event.currentTarget.value)}>
          {isAbsent && <option value="">no value</option>}
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : isLong ? (
        <textarea
          {...shared}
          class={kind === 'json' ? 'code' : ''}
          rows={Math.min(8, Math.max(text.length > SHORT_TEXT ? 2 : 1, text.split('\n').length))}
          onInput={(event) => change(event.currentTarget.value)}
        />
      ) : (
        <input
          {...shared}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
      {isCut && (
        <span class="soft small">
          {text.length.toLocaleString()} characters: the first {MAX_SHOWN.toLocaleString()} are shown. Change it as
          JSON.
        </span>
      )}
      {problem !== undefined && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}

type Kind = 'text' | 'number' | 'boolean' | 'json';

function kindOf(value: unknown, type = ''): Kind {
  if (typeof value === 'boolean' || (value === undefined && type === 'boolean')) return 'boolean';
  if (typeof value === 'number' || (value === undefined && isNumeric(type))) return 'number';
  if (typeof value === 'string') return 'text';
  return value === undefined && ['text', 'keyword', 'date', 'ip'].includes(type) ? 'text' : 'json';
}

function toFieldText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(text: string, kind: Kind): { readonly value: unknown } | { readonly problem: string } {
  if (kind === 'text') return { value: text };
  if (kind === 'boolean') return { value: text === 'true' };
  if (kind === 'number') {
    const number = Number(text);
    const isSafe = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
    return text.trim() !== '' && isSafe ? { value: number } : { problem: 'expected a number' };
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `expected JSON: ${(error as Error).message}` };
  }
}
