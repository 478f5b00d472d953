import type { CollectionName } from '@millrace/kernel';
import { parse } from 'csv-parse';
import type { ActionTarget } from '../commands/ActionTarget.js';
import { columnsOf, toSource } from './csv.js';
import { readMapping } from './exportCollections.js';
import { RecordImporter } from './RecordImporter.js';

/** Longest row. */
const MAX_ROW_CHARACTERS = 16 * 1024 * 1024;

/**
 * Imports rows as documents of a collection; the header names the fields by path. Documents with an `_id` are replaced,
 * others get a new one.
 * @returns the importer, with its counts
 */
export async function importCsv(
  target: ActionTarget,
  name: CollectionName,
  stream: NodeJS.ReadableStream,
  onRow: (count: number) => void,
): Promise<RecordImporter> {
  const columns = columnsOf((await readMapping(target, name)) ?? {});
  const types = new Map(columns.map(({ path, type }) => [path, type]));
  const importer = new RecordImporter(target, name);
  const rows = stream.pipe(
    parse({ columns: true, bom: true, max_record_size: MAX_ROW_CHARACTERS }),
  );
  stream.on('error', (error) => rows.destroy(error as Error));
  let count = 0;
  for await (const row of rows) {
    const { _id = '', ...cells } = row as Record<string, string>;
    const source = toSource(cells, types);
    const bytes = Buffer.byteLength(JSON.stringify(source));
    await importer.add({ type: 'document', _id, _source: source }, bytes);
    onRow(++count);
  }
  await importer.end();
  return importer;
}
