import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ImportState, type ImportPosition } from '../transfer/ImportState.js';
import { ProgressLine } from '../transfer/ProgressLine.js';
import { RecordImporter } from '../transfer/RecordImporter.js';
import type { TransferRecord } from '../transfer/TransferRecord.js';
import { ActionError } from '../targets/ActionError.js';
import type { ActionTarget } from '../targets/ActionTarget.js';
import type { Command, CommandResult } from './Command.js';
import type { CommandCall } from './CommandCall.js';
import { transferFormat } from './transferFormat.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

/** One line, its number from 1, its size, and the position after it. */
interface Line {
  readonly text: string;
  readonly number: number;
  readonly end: number;
  readonly bytes: number;
}

/** A longer line can't be a document. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
const NEW_LINE = 10;

/** The lines of a stream of bytes, without empty ones. @throws Error for a line that is too long */
async function* readLines(stream: AsyncIterable<Buffer | string>): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let end = 0;
  let number = 0;
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk);
    let start = 0;
    for (;;) {
      const at = buffer.indexOf(NEW_LINE, start);
      const part = buffer.subarray(start, at === -1 ? undefined : at);
      parts.push(part);
      bytes += part.length;
      if (bytes > MAX_LINE_BYTES) throw new Error('A line is longer than 128 MiB');
      if (at === -1) break;
      end += bytes + 1;
      number++;
      if (bytes > 0) yield { text: Buffer.concat(parts).toString('utf8'), number, end, bytes };
      parts = [];
      bytes = 0;
      start = at + 1;
    }
  }
  if (bytes === 0) return;
  const text = Buffer.concat(parts).toString('utf8');
  yield { text, number: number + 1, end: end + bytes, bytes };
}

/** Reads what `export` has written, or CSV. */
export const importCommand: Command = {
  name: 'import',
  summary: 'Reads what export has written, or CSV into a collection; replaces documents with the same ids',
  description: `Accounts (users, profiles, roles, credentials, API keys) are imported with --accounts, or after a
question on a terminal, and replace those with the same ids; else they are left out. Only import accounts of a
file that you trust: whoever wrote it can log in.
An interrupted import of an NDJSON file goes on when it is run again; its position is in FILE.….import.
Exit code 1 if documents were refused, or if the export is incomplete.`,
  arguments: [{ name: 'FILE', doc: 'the file; -: standard input' }],
  options: {
    format: { value: 'FORMAT', doc: 'ndjson, or csv with a header [ndjson]' },
    index: { value: 'INDEX', doc: 'index for CSV' },
    collection: { value: 'COLLECTION', doc: 'collection for CSV' },
    accounts: { doc: 'imports accounts too, replacing those with the same ids' },
    ...TARGET_OPTIONS,
  },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const isCsv = transferFormat(call) === 'csv';
    const importAll = async (target: ActionTarget) => {
      const progress = new ProgressLine(call.context.stderr);
      const importer = await (isCsv ? fromCsv(call, target, progress) : fromRecords(call, target, progress));
      progress.clear();
      return toResult(importer, isCsv);
    };
    await assertReadable(call);
    return withTarget(call, importAll, { beginsData: true });
  },
};

async function fromCsv(call: CommandCall, target: ActionTarget, progress: ProgressLine): Promise<RecordImporter> {
  const { importCsv } = await import('../transfer/importCsv.js');
  const name = { index: call.value('index') ?? '', collection: call.value('collection') ?? '' };
  const path = pathOf(call);
  if (path === undefined) return importCsv(target, name, call.context.stdin, (count) => progress.show(`${count} rows`));
  const { size } = await stat(path);
  const stream = createReadStream(path);
  return importCsv(target, name, stream, (count) => progress.show(`${count} rows`, stream.bytesRead / size));
}

async function fromRecords(call: CommandCall, target: ActionTarget, progress: ProgressLine): Promise<RecordImporter> {
  const path = pathOf(call);
  const state = path === undefined ? undefined : await ImportState.open(path, target.name);
  const position = await positionIn(target, await state?.read());
  const [start, before] = [position?.bytes ?? 0, position?.lines ?? 0];
  const takesAccounts = () => call.has('accounts') || askForAccounts(call, progress);
  const importer = new RecordImporter(target, takesAccounts, position?.collection, position?.last);
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

/** On a terminal. @returns false elsewhere, and if the records come from there */
async function askForAccounts(call: CommandCall, progress: ProgressLine): Promise<boolean> {
  const { stdin, stderr } = call.context;
  const isTerminal = 'isTTY' in stdin && stdin.isTTY;
  if (!isTerminal || pathOf(call) === undefined) return false;
  progress.clear();
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const question =
      'The file has accounts: whoever wrote it could log in with them. Import them, replacing those with the same ids? [y/N] ';
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
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
    throw new Error(`Line ${number} is not valid JSON: the export is incomplete, or it is no export`);
  }
}

function toResult(importer: RecordImporter, isCsv: boolean): CommandResult {
  const { documents, accounts, accountsLeftOut, refused, refusedCount } = importer;
  const { replaced, replacedCount } = importer;
  const isComplete = isCsv || importer.isComplete;
  const problems = [
    ...(isComplete ? [] : ['The export is incomplete: its last line is missing']),
    ...(refusedCount === 0 ? [] : [`${refusedCount} documents were refused:`, ...refused]),
  ];
  const done = `Imported ${documents} documents${isCsv ? '' : ` and ${accounts} account records`}`;
  const more = replacedCount - replaced.length;
  const notes = [
    ...(replacedCount === 0 ? [] : [`Replaced: ${replaced.join(', ')}${more === 0 ? '' : ` and ${more} more`}`]),
    ...(accountsLeftOut === 0 ? [] : [`${accountsLeftOut} account records were left out: --accounts imports them`]),
  ];
  return {
    text: [done, ...notes, ...problems, ''].join('\n'),
    json: {
      documents,
      accounts,
      accountsLeftOut,
      replacedCount,
      replaced: [...replaced],
      refusedCount,
      refused: [...refused],
      isComplete,
    },
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
