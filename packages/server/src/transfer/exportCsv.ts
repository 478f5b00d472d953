import type { CollectionName } from '@millrace/kernel';
import { stringify } from 'csv-stringify/sync';
import type { ActionTarget } from '../targets/ActionTarget.js';
import { columnsOf, toCell } from './csv.js';
import { exportDocuments, readMapping } from './exportCollections.js';
import type { ProgressLine } from './ProgressLine.js';

/** RFC 4180. */
const OPTIONS = { record_delimiter: '\r\n' } as const;

/**
 * A collection as CSV: a header, then a row for each document: `_id` and its fields by path.
 * @param fields the paths; default: those of the mapping
 */
export async function* exportCsv(
  target: ActionTarget,
  name: CollectionName,
  fields: readonly string[] | undefined,
  progress: ProgressLine,
): AsyncGenerator<string> {
  const paths = fields ?? columnsOf((await readMapping(target, name)) ?? {}).map(({ path }) => path);
  yield stringify([['_id', ...paths]], OPTIONS);
  let count = 0;
  let total = 0;
  const documents = exportDocuments(target, name, (found) => (total = found));
  for await (const { _id, _source } of documents) {
    yield stringify([[_id, ...paths.map((path) => toCell(_source, path))]], OPTIONS);
    progress.show(`${++count} documents`, count / total);
  }
}
