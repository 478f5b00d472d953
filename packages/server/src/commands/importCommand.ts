import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ImportState, type ImportPosition } from '../transfer/ImportState.js';
import { ProgressLine } from '../transfer/ProgressLine.js';
import { readLines } from '../transfer/readLines.js';
import { RecordImporter } from '../transfer/RecordImporter.js';
import type { TransferRecord } from '../transfer/TransferRecord.js';
import { ActionError } from './ActionError.js';
import type { ActionTarget } from './ActionTarget.js';
import type { Command, CommandResult } from './Command.js';
import type { CommandCall } from './CommandCall.js';
import { transferFormat } from './transferFormat.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

/** Reads what `export` has written, or CSV. */
export const importCommand: Command = {
  name: 'import',
  summary:
    'Reads what export has written, or CSV into a collection; replaces documents with the same ids',
  description: `An interrupted import of an NDJSON file goes on when it is run again; its position is in FILE.….import.
Exit code 1 if documents were refused, or if the export is incomplete.`,
  arguments: [{ name: 'FILE', doc: 'the file; -: standard input' }],
  options: {
    format: { value: 'FORMAT', doc: 'ndjson, or csv with a header [ndjson]' },
    index: { value: 'INDEX', doc: 'index for CSV' },
    collection: { value: 'COLLECTION', doc: 'collection for CSV' },
    ...TARGET_OPTIONS,
  },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const isCsv = transferFormat(call) === 'csv';
    const importAll = async (target: ActionTarget) => {
      const progress = new ProgressLine(call.context.stderr);
      const importer = await (isCsv
        ? fromCsv(call, target, progress)
        : fromRecords(call, target, progress));
      progress.clear();
      return toResult(importer, isCsv);
    };
    await assertReadable(call);
    return withTarget(call, importAll, { beginsData: true });
  },
};

async function fromCsv(
  call: CommandCall,
  target: ActionTarget,
  progress: ProgressLine,
): Promise<RecordImporter> {
  const { importCsv } = await import('../transfer/importCsv.js');
  const name = { index: call.value('index') ?? '', collection: call.value('collection') ?? '' };
  const path = pathOf(call);
  if (path === undefined)
    return importCsv(target, name, call.context.stdin, (count) => progress.show(`${count} rows`));
  const { size } = await stat(path);
  const stream = createReadStream(path);
  return importCsv(target, name, stream, (count) =>
    progress.show(`${count} rows`, stream.bytesRead / size),
  );
}

async function fromRecords(
  call: CommandCall,
  target: ActionTarget,
  progress: ProgressLine,
): Promise<RecordImporter> {
  const path = pathOf(call);
  const state = path === undefined ? undefined : await ImportState.open(path, target.name);
  const position = await positionIn(target, await state?.read());
  const [start, before] = [position?.bytes ?? 0, position?.lines ?? 0];
  const importer = new RecordImporter(target, position?.collection, position?.last);
  const stream = path === undefined ? call.context.stdin : createReadStream(path, { start });
  for await (const { text, bytes, end, number } of readLines(stream)) {
    const [at, line] = [start + end, before + number];
    const isStored = await importer.add(parse(text, line), bytes, line);
    const { collection, last } = importer;
    if (isStored && collection !== null && last !== null)
      await state?.write({ bytes: at, lines: line, collection, last });
    progress.show(`${importer.documents} documents`, state && at / state.size);
  }
  await importer.end();
  if (importer.isComplete) await state?.remove();
  return importer;
}

/** Null: the import begins, also if the target has lost what was imported. */
async function positionIn(
  target: ActionTarget,
  position: ImportPosition | null | undefined,
): Promise<ImportPosition | null> {
  if (position === null || position === undefined) return null;
  try {
    await target.execute('document', 'get', { ...position.last });
    return position;
  } catch (error) {
    if (error instanceof ActionError && error.status === 404) return null;
    throw error;
  }
}

function parse(text: string, number: number): TransferRecord {
  try {
    return JSON.parse(text) as TransferRecord;
  } catch {
    throw new Error(
      `Line ${number} is not valid JSON: the export is incomplete, or it is no export`,
    );
  }
}

function toResult(importer: RecordImporter, isCsv: boolean): CommandResult {
  const { documents, accounts, refused, refusedCount } = importer;
  const isComplete = isCsv || importer.isComplete;
  const problems = [
    ...(isComplete ? [] : ['The export is incomplete: its last line is missing']),
    ...(refusedCount === 0 ? [] : [`${refusedCount} documents were refused:`, ...refused]),
  ];
  const done = `Imported ${documents} documents${isCsv ? '' : ` and ${accounts} account records`}`;
  return {
    text: [done, ...problems, ''].join('\n'),
    json: { documents, accounts, refusedCount, refused: [...refused], isComplete },
    isFailed: problems.length > 0,
  };
}

/** Before any data is opened. */
async function assertReadable(call: CommandCall): Promise<void> {
  const path = pathOf(call);
  if (path === undefined) return;
  const file = await open(path).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} can't be read: ${code}`, { cause: error });
  });
  await file.close();
}

/** Undefined: standard input. */
function pathOf(call: CommandCall): string | undefined {
  const file = call.argument(0);
  return file === '-' ? undefined : resolve(call.context.folder, file);
}
