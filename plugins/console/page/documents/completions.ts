import type { FieldValue } from './fieldValues.js';
import { JsonText } from './JsonText.js';
import words from './searchWords.json';

/** The value of an option: any; a query; queries; aggregations by their names; one of some values; an object. */
type ValueKind = string | readonly (string | boolean)[] | Words;

/** The names that an object may have. */
interface Words {
  readonly options: Readonly<Record<string, ValueKind>>;
  /** The object takes a field as a name, with such a value. */
  readonly field?: ValueKind;
  /** The object takes any name, with such a value. */
  readonly any?: ValueKind;
  /** A list of such objects. */
  readonly isList?: true;
}

interface SearchWords {
  readonly search: Words;
  readonly queries: Readonly<Record<string, ValueKind>>;
  readonly aggregations: Readonly<Record<string, ValueKind>>;
}

/** A name that can be at the caret. */
export interface Completion {
  readonly name: string;
  /** Kind of its value, or type of the field. */
  readonly note: string;
  /** What replaces the text from `from` to `to`. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Where the caret is afterwards, from the beginning of `text`. */
  readonly caret: number;
}

/** A field, also one inside of another: `name.raw`. */
export interface KnownField {
  readonly name: string;
  readonly type: string;
}

interface Candidate {
  readonly name: string;
  readonly note: string;
  /** `CARET` is where the caret goes. */
  readonly text: string;
}

const { search, queries, aggregations } = words as unknown as SearchWords;
const AGGREGATION: Words = { options: { ...aggregations, aggs: 'aggregations' } };
const QUERY: Words = { options: queries };
/** Options whose values are names of fields. */
const OF_FIELDS = ['field', 'fields', 'default_field', 'path', 'sort', '_source', 'includes', 'excludes'];
/** Queries that compare a field with whole values, and their options with a value. */
const BY_VALUE = ['term', 'terms', 'prefix', 'match', 'match_phrase'];
const OF_VALUES = ['value', 'query'];
/** JSON has it in no other place. */
const CARET = '\0';
const MAX_SHOWN = 100;

/** Whether the body of a search is a query alone, as SEARCH-1 allows it. */
export function isBareQuery(body: object): boolean {
  const [name = '', ...others] = Object.keys(body);
  return others.length === 0 && Object.hasOwn(queries, name) && !Object.hasOwn(search.options, name);
}

/** The names that can be at the caret, those that begin with the typed one first. */
export function completionsAt(text: string, caret: number, fields: readonly KnownField[]): readonly Completion[] {
  const place = JsonText.at(text, caret);
  if (place === undefined) return [];
  const { isKey, path, typed, from, keys } = place;
  const kind = path.reduce<ValueKind>((found, key) => below(found, key), search);
  const candidates = isKey ? namesIn(kind, fields) : valuesOf(kind, path.at(-1) ?? '', fields);
  const to = caret + restOf(text, from, caret).length;
  const isNamed = /^\s*:/.test(text.slice(to));
  const wanted = typed.toLowerCase();
  const fitting = candidates.filter(({ name }) => name.toLowerCase().includes(wanted) && !keys.includes(name));
  const first = fitting.filter(({ name }) => name.toLowerCase().startsWith(wanted));
  return [...first, ...fitting.filter((each) => !first.includes(each))].slice(0, MAX_SHOWN).map((candidate) => {
    const { name, note } = candidate;
    const inserted = isKey && isNamed ? JSON.stringify(name) + CARET : candidate.text;
    return { name, note, text: inserted.replace(CARET, ''), from, to, caret: inserted.indexOf(CARET) };
  });
}

/** A value of a field that is being typed. */
export interface TypedValue {
  readonly field: string;
  readonly typed: string;
  readonly from: number;
  readonly to: number;
}

/** The value of a keyword field at the caret; undefined: it is something else. */
export function typedValueAt(text: string, caret: number, fields: readonly KnownField[]): TypedValue | undefined {
  const { isKey = true, path = [], typed = '', from = 0 } = JsonText.at(text, caret) ?? {};
  const inner = OF_VALUES.includes(path.at(-1) ?? '') ? path.slice(0, -1) : path;
  const [query = '', field = ''] = inner.slice(-2);
  const isKeyword = fields.some(({ name, type }) => name === field && type === 'keyword');
  if (isKey || !isKeyword || !BY_VALUE.includes(query)) return undefined;
  return { field, typed, from, to: caret + restOf(text, from, caret).length };
}

/** Values of a field as completions. */
export function toCompletions(
  values: readonly FieldValue[],
  { from, to }: Pick<TypedValue, 'from' | 'to'>,
): readonly Completion[] {
  return values.map(({ value, count }) => {
    const text = JSON.stringify(value);
    return { name: value, note: count.toLocaleString(), text, from, to, caret: text.length };
  });
}

/** The end of the name or string around the caret. */
function restOf(text: string, from: number, caret: number): string {
  const after = text.slice(caret);
  const word = /^[\w.]*/.exec(after)?.[0] ?? '';
  if (text[from] !== '"') return word;
  // A string that isn't closed ends before the JSON that follows.
  return /^[^"\\\n,:{}[\]]*"/.exec(after)?.[0] ?? word;
}

/** The fields of a mapping with those inside of them. */
export function fieldsOf(properties: unknown, prefix = ''): readonly KnownField[] {
  const entries = Object.entries((properties ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>);
  return entries.flatMap(([key, mapping]) => {
    const name = `${prefix}${key}`;
    const { type = 'object', properties: inner, fields } = mapping;
    return [{ name, type: String(type) }, ...fieldsOf(inner, `${name}.`), ...fieldsOf(fields, `${name}.`)];
  });
}

/** The value of a key. */
function below(kind: ValueKind, key: string): ValueKind {
  if (kind === 'aggregations') return AGGREGATION;
  const { options, field = '', any } = toWords(kind);
  if (Object.hasOwn(options, key)) return options[key] ?? '';
  return any ?? field;
}

function toWords(kind: ValueKind): Words {
  if (kind === 'query' || kind === 'queries') return QUERY;
  return typeof kind === 'object' && 'options' in kind ? kind : { options: {} };
}

function namesIn(kind: ValueKind, fields: readonly KnownField[]): readonly Candidate[] {
  const { options, field } = toWords(kind);
  const ofFields = field === undefined ? [] : fields.map(({ name, type }) => candidate(name, type, shortest(field)));
  const names = Object.entries(options).map(([name, value]) => candidate(name, noteOf(value), value));
  // A field is what most such objects have.
  return [...ofFields, ...names];
}

function valuesOf(kind: ValueKind, key: string, fields: readonly KnownField[]): readonly Candidate[] {
  if (Array.isArray(kind)) {
    return (kind as readonly (string | boolean)[]).map((value) => {
      return { name: String(value), note: '', text: JSON.stringify(value) + CARET };
    });
  }
  if (kind === 'query' || kind === 'queries') {
    return namesIn(kind, fields).map((each) => ({ ...each, text: `{${each.text}}` }));
  }
  if (!OF_FIELDS.includes(key)) return [];
  return fields.map(({ name, type }) => ({ name, note: type, text: JSON.stringify(name) + CARET }));
}

function candidate(name: string, note: string, value: ValueKind): Candidate {
  return { name, note, text: `${JSON.stringify(name)}: ${snippetOf(value)}` };
}

/** A field whose value may be given without an object around it. */
function shortest(kind: ValueKind): ValueKind {
  if (typeof kind !== 'object' || !('options' in kind)) return kind;
  const names = Object.keys(kind.options);
  return names.length === 0 || names.includes('value') || names.includes('query') ? '' : kind;
}

function snippetOf(kind: ValueKind): string {
  if (kind === 'queries') return `[{${CARET}}]`;
  if (kind === '' || Array.isArray(kind)) return CARET;
  if (typeof kind === 'object' && 'isList' in kind) return `[{${CARET}}]`;
  return `{${CARET}}`;
}

function noteOf(kind: ValueKind): string {
  if (kind === 'query' || kind === 'queries' || kind === 'aggregations') return kind;
  return Array.isArray(kind) ? kind.join(', ') : '';
}
