import type { Fields } from '../connection.js';
import { leavesOf, withValue } from './merge.js';

/** Spreadsheets run cells that begin so as formulas. */
const FORMULA = /^'*[=+\-@\t\r]/;

/**
 * Documents as CSV (RFC 4180): a column for each value, lists and points as JSON. Strings that a spreadsheet would run get a
 * leading apostrophe, which `parseCsv` removes; numbers stay numbers.
 */
export function toCsv(documents: readonly Fields[]): string {
  const rows = documents.map((each) => new Map(leavesOf(each).map(({ path, value }) => [path.join('.'), value])));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const lines = rows.map((row) => names.map((name) => toCell(row.get(name))).join(','));
  return [names.map(toText).join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? toText(value) : quote(JSON.stringify(value));
}

function toText(text: string): string {
  return quote(FORMULA.test(text) ? `'${text}` : text);
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Documents of a CSV file with a line of names. Numbers, `true`, `false`, lists and objects are read as such; an empty cell
 * is no value; dots in names make objects.
 * @throws Error for an unterminated quoted value, or a line with more values than names
 */
export function parseCsv(text: string): readonly Fields[] {
  const [head = [], ...rows] = readRows(text.replace(/^\uFEFF/, ''));
  const names = head.map(withoutApostrophe);
  return rows.map((cells, position) => {
    if (cells.length > names.length)
      throw new Error(
        `Line ${position + 2} of the file has ${cells.length} values, and there are ${names.length} names`,
      );
    return cells.reduce<Fields>((made, cell, at) => {
      const name = names[at] ?? '';
      if (cell === '' || name === '') return made;
      return name === '_id'
        ? { ...made, _id: withoutApostrophe(cell) }
        : withValue(made, name.split('.'), toValue(cell));
    }, {});
  });
}

function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

function toValue(cell: string): unknown {
  const text = withoutApostrophe(cell);
  if (text !== cell) return text;
  if (!/^(?:-?(?:0|[1-9]\d{0,14})(?:\.\d+)?|true|false|[[{].*)$/s.test(cell)) return cell;
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return cell;
  }
}

function readRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; ; at++) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new Error(`A quoted value in line ${rows.length + 1} of the file has no end`);
        cell += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
    } else {
      const rest = /[,\r\n]/.exec(text.slice(at, at + 1_000_000));
      const end = rest === null ? Math.min(text.length, at + 1_000_000) : at + rest.index;
      cell = text.slice(at, end);
      at = end;
    }
    row.push(cell);
    if (text[at] === ',') {
      at++;
      if (at === text.length) row.push('');
      continue;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}
