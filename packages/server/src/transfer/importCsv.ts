import { pipeline } from 'node:stream/promises';
import type { CollectionName } from '@millrace/kernel';
import { parse } from 'csv-parse';
import type { ActionTarget } from '../targets/ActionTarget.js';
import { columnsOf, toSource } from './csv.js';
import { readMapping } from './exportCollections.js';
import { RecordImporter } from './RecordImporter.js';

/** Longest row. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

interface Row {
  readonly cells: Readonly<Record<string, string>>;
  /** The number of its last line. */
  readonly line: number;
}

/**
 * Imports rows as documents of a collection; the header names the fields by path. Documents with an `_id` are replaced,
 * others get a new one. Rows that can't be read are counted as refused.
 * @returns the importer, with its counts
 * @throws Error for a wrong header, and for a file that is not UTF-8
 */
export async function importCsv(
  target: ActionTarget,
  name: CollectionName,
  stream: AsyncIterable<Buffer | string>,
  onRow: (count: number) => void,
): Promise<RecordImporter> {
  const columns = columnsOf((await readMapping(target, name)) ?? {});
  const types = new Map(columns.map(({ path, type }) => [path, type]));
  const importer = new RecordImporter(target, () => false, name);
  let count = 0;
  await pipeline(decode(stream), rowParser(importer), async (rows: AsyncIterable<unknown>) => {
    for await (const row of rows) {
      const { cells, line } = row as Row;
      const { _id = '', ...fields } = cells;
      const source = toSource(fields, types);
      const bytes = Buffer.byteLength(JSON.stringify(source));
      await importer.add({ type: 'document', _id, _source: source }, bytes, line);
      onRow(++count);
    }
  });
  await importer.end();
  return importer;
}

function rowParser(importer: RecordImporter): NodeJS.ReadWriteStream {
  let lastLine = 1;
  return parse({
    columns: toColumns,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_ROW_BYTES,
    on_record: (cells: Row['cells'], { lines }): Row => {
      lastLine = lines;
      return { cells, line: lines };
    },
    on_skip: (error) => {
      if (error === undefined) return;
      const { code, column, lines, message } = error;
      const isInField = code !== 'CSV_RECORD_INCONSISTENT_COLUMNS' && typeof column === 'string';
      const from = code === 'CSV_QUOTE_NOT_CLOSED' ? ` (it begins after line ${lastLine})` : '';
      importer.refuse(`line ${String(lines)}${isInField ? `, ${column}` : ''}: ${message}${from}`);
    },
  });
}

/** @throws Error for what is no header */
function toColumns(header: readonly string[]): string[] {
  const twice = header.find((name, at) => header.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`CSV line 1: the column ${JSON.stringify(twice)} is there twice`);
  if (header.length === 1 && /[;\t]/.test(header[0] ?? ''))
    throw new Error('CSV line 1: expected columns separated by commas');
  return [...header];
}

/** Without a byte order mark. @throws Error for bytes that are not UTF-8 */
async function* decode(stream: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const buffer = Buffer.from(chunk);
      yield decoder.decode(buffer, { stream: true });
      bytes += buffer.length;
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(`The CSV is not UTF-8, after byte ${bytes}`, { cause: error });
  }
}
