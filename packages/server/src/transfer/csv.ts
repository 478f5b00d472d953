import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { valueAt } from '../valueAt.js';

/** A column: the path of a field, and its type in the mapping. */
export interface CsvColumn {
  readonly path: string;
  readonly type: string;
}

const NUMBERS = ['long', 'integer', 'short', 'byte', 'double', 'float', 'half_float', 'scaled_float', 'unsigned_long'];
/** Types whose values are strings: a cell is a string or a list of them. */
const STRINGS = ['text', 'keyword', 'ip', 'binary', 'date'];
/** A time in milliseconds, and no year. */
const TIME = /^-?\d{5,}$/;

/** The leaves of a mapping. Lists of objects (`nested`) are one column. */
export function columnsOf(mapping: JsonObject, prefix = ''): readonly CsvColumn[] {
  const { properties } = mapping;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, field]): readonly CsvColumn[] => {
    if (!isJsonObject(field)) return [];
    const path = prefix + name;
    const { type } = field;
    if (isJsonObject(field['properties']) && type !== 'nested') return columnsOf(field, `${path}.`);
    return [{ path, type: typeof type === 'string' ? type : 'object' }];
  });
}

/**
 * A value as a cell: strings as they are, lists and objects as JSON; empty if it is absent, null or an empty string. A
 * string that would be read as a list is written as a list of one.
 */
export function toCell(source: JsonObject, path: string): string {
  const value = valueAt(source, ...path.split('.'));
  if (value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return fromCell(value, 'text') === value ? value : JSON.stringify([value]);
}

/**
 * The value of a cell by the type of its field: numbers and booleans where they can be read as such, and JSON lists and
 * objects; otherwise the string.
 */
export function fromCell(cell: string, type = ''): JsonValue {
  if (type === 'date' && TIME.test(cell)) return Number(cell);
  const isScalar = NUMBERS.includes(type) || type === 'boolean';
  const isStructure = cell.startsWith('[') || (cell.startsWith('{') && !STRINGS.includes(type));
  if (!isScalar && !isStructure) return cell;
  try {
    return JSON.parse(cell) as JsonValue;
  } catch {
    return cell;
  }
}

/** A document from its cells; empty cells are absent. */
export function toSource(cells: Readonly<Record<string, string>>, types: ReadonlyMap<string, string>): JsonObject {
  const source: Record<string, JsonValue> = {};
  for (const [path, cell] of Object.entries(cells)) {
    if (cell === '') continue;
    const names = path.split('.');
    const last = names.pop() ?? '';
    let at = source;
    for (const name of names) {
      const inner = Object.hasOwn(at, name) ? at[name] : undefined;
      const next: Record<string, JsonValue> = isJsonObject(inner) ? inner : {};
      Object.defineProperty(at, name, {
        value: next,
        enumerable: true,
        configurable: true,
        writable: true,
      });
      at = next;
    }
    Object.defineProperty(at, last, {
      value: fromCell(cell, types.get(path)),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return source;
}
