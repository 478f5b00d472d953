import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportAccounts } from '../transfer/accounts.js';
import { exportCollections } from '../transfer/exportCollections.js';
import { ProgressLine } from '../transfer/ProgressLine.js';
import { TRANSFER_FORMAT, type TransferRecord } from '../transfer/TransferRecord.js';
import { VERSION } from '../version.js';
import { isOffline, type ActionTarget } from '../targets/ActionTarget.js';
import type { Command } from './Command.js';
import type { CommandCall } from './CommandCall.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';
import { transferFormat } from './transferFormat.js';
import { UsageError } from './UsageError.js';

/** Writes collections and accounts as NDJSON, or one collection as CSV. */
export const exportCommand: Command = {
  name: 'export',
  summary: 'Writes collections, mappings, specifications and accounts as NDJSON, or a collection as CSV',
  description: `Accounts (users, profiles, roles, credentials, API keys) are exported without --url, --index and --collection only:
a running server returns no credentials. With --url the export has what the user of the token may read.`,
  arguments: [{ name: 'FILE', doc: 'a new file; -: standard output [-]', isOptional: true }],
  options: {
    index: { value: 'INDEX', doc: 'only this index' },
    collection: { value: 'COLLECTION', doc: 'only this collection of --index' },
    format: { value: 'FORMAT', doc: 'ndjson, or csv for one collection [ndjson]' },
    fields: { value: 'PATHS', doc: 'columns of the CSV, joined by commas [those of the mapping]' },
    'no-accounts': { doc: 'without users, profiles, roles, credentials and API keys' },
    'no-secrets': { doc: 'without credentials and API keys: users need new passwords' },
    ...TARGET_OPTIONS,
  },
  usesConfig: true,
  hasResult: false,
  run: async (call) => {
    const format = transferFormat(call);
    const { index, collection } = {
      index: call.value('index'),
      collection: call.value('collection'),
    };
    if (collection !== undefined && index === undefined) throw new UsageError('--collection needs --index');
    const path = pathOf(call);
    if (path !== undefined && existsSync(path)) throw new Error(`${path} exists already`);
    await withTarget(call, async (target) => {
      const progress = new ProgressLine(call.context.stderr);
      if (format === 'csv') {
        const { exportCsv } = await import('../transfer/exportCsv.js');
        const name = { index: index ?? '', collection: collection ?? '' };
        const fields = call.value('fields')?.split(',');
        await write(call, exportCsv(target, name, fields, progress));
      } else await write(call, lines(call, target, progress));
      progress.clear();
    });
    return undefined;
  },
};

async function* lines(call: CommandCall, target: ActionTarget, progress: ProgressLine): AsyncGenerator<string> {
  const counts = { documents: 0, accounts: 0 };
  const place = { name: '', total: 0, before: 0 };
  const records = recordsOf(call, target, (total) => {
    Object.assign(place, { total, before: counts.documents });
  });
  for await (const record of records) {
    if (record.type === 'collection') place.name = `${record.index}/${record.collection}`;
    if (record.type === 'account') counts.accounts++;
    if (record.type === 'document') counts.documents++;
    const share = (counts.documents - place.before) / place.total;
    progress.show(`of ${place.name}, ${counts.documents} documents in all`, share);
    yield `${JSON.stringify(record)}\n`;
  }
  const end: TransferRecord = { type: 'end', ...counts };
  yield `${JSON.stringify(end)}\n`;
}

async function* recordsOf(
  call: CommandCall,
  target: ActionTarget,
  onDocuments: (total: number) => void,
): AsyncGenerator<TransferRecord> {
  const at = new Date().toISOString();
  yield { type: 'export', format: TRANSFER_FORMAT, millrace: VERSION, at };
  const [index, collection] = [call.value('index'), call.value('collection')];
  yield* exportCollections(target, { index, collection }, onDocuments);
  const isWhole = index === undefined && !call.has('no-accounts');
  if (isOffline(target) && isWhole)
    yield* exportAccounts(target.storage, target.internalIndex, !call.has('no-secrets'));
}

/** Into the file or standard output, as fast as that takes it. A file has its name once it is complete. */
async function write(call: CommandCall, chunks: AsyncIterable<string>): Promise<void> {
  const path = pathOf(call);
  if (path === undefined) {
    await pipeline(Readable.from(chunks), call.context.stdout, { end: false });
    return;
  }
  const part = `${path}.part`;
  await rm(part, { force: true });
  // Other users must not read it.
  const stream = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(Readable.from(chunks), stream);
  await rename(part, path);
}

/** Undefined: standard output. */
function pathOf(call: CommandCall): string | undefined {
  const file = call.argument(0);
  return file === '' || file === '-' ? undefined : resolve(call.context.folder, file);
}
