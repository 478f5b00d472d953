import type { Fields } from '../connection.js';

/** One field of a mapping. */
export interface Column {
  /** Path of the field: `address.city`. */
  readonly name: string;
  readonly type: string;
  /** What the server sorts by; undefined: it can't be sorted. */
  readonly sortBy: string | undefined;
}

type Properties = Readonly<Record<string, Mapping>>;

interface Mapping {
  readonly type?: string;
  readonly properties?: Properties;
  readonly fields?: Readonly<Record<string, { readonly type?: string }>>;
}

const NUMBERS = ['long', 'integer', 'short', 'byte', 'double', 'float', 'half_float', 'scaled_float', 'unsigned_long'];
const SORTABLE = [...NUMBERS, 'keyword', 'date', 'boolean', 'ip'];

/** The fields of a mapping as columns, nested objects by their paths. */
export function toColumns(properties: Properties = {}, prefix = ''): readonly Column[] {
  return Object.entries(properties).flatMap(([key, mapping]) => {
    const name = `${prefix}${key}`;
    const { type = 'object', fields = {} } = mapping;
    if (type === 'object' && mapping.properties !== undefined) return toColumns(mapping.properties, `${name}.`);
    const exact = Object.keys(fields).find((field) => fields[field]?.type === 'keyword');
    const sortBy = SORTABLE.includes(type) ? name : exact === undefined ? undefined : `${name}.${exact}`;
    return [{ name, type, sortBy }];
  });
}

/** The columns that are shown until the user chooses others. */
export function defaultColumns(columns: readonly Column[]): readonly string[] {
  const last = ['text', 'object', 'nested'];
  const short = columns.filter(({ type, sortBy }) => !last.includes(type) || sortBy !== undefined);
  const others = columns.filter((column) => !short.includes(column));
  const chosen = new Set([...short, ...others].slice(0, 7).map(({ name }) => name));
  return columns.map(({ name }) => name).filter((name) => chosen.has(name));
}

/** Whether the values of a field can be counted or measured. */
export function isCharted({ sortBy }: Column): boolean {
  return sortBy !== undefined;
}

export function isNumeric(type: string): boolean {
  return NUMBERS.includes(type);
}

/** The value at a path, also where a key contains dots; undefined if there is none. */
export function valueAt(source: Fields, path: string): unknown {
  if (Object.hasOwn(source, path)) return source[path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const head = path.slice(0, dot);
    const inner = Object.hasOwn(source, head) ? source[head] : undefined;
    if (isFields(inner)) {
      const found = valueAt(inner, path.slice(dot + 1));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Cells ask the server for values of this length (SEARCH-6): longer ones have been cut. */
export const MAX_CELL_LENGTH = 120;

/** A value as the short text of a cell. */
export function toCell(value: unknown, type: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'number')
    return type === 'date' ? new Date(value).toISOString().replace('.000Z', 'Z') : String(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const isShort = value.length <= 4 && value.every((item) => typeof item !== 'object');
    if (isShort) return cut(value.join(', '));
    return value.length > MAX_CELL_LENGTH ? `[>${MAX_CELL_LENGTH}]` : `[${value.length}]`;
  }
  const { lat, lon } = value as { lat?: unknown; lon?: unknown };
  if (typeof lat === 'number' && typeof lon === 'number') return `${lat.toFixed(4)}, ${lon.toFixed(4)}`;
  return `{${Object.keys(value).length}}`;
}

function cut(text: string): string {
  return text.length > MAX_CELL_LENGTH + 1 ? `${text.slice(0, MAX_CELL_LENGTH)}…` : text;
}
