import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  alsoInBody,
  collectionName,
  coreErrors,
  defineAction,
  indexName,
  required,
  route,
  schema,
  text,
  toEnvelope,
  type ActionDefinition,
  type Clock,
  type CollectionName,
  type JsonObject,
  type Notifier,
  type Request,
  type Security,
  type StorageEngine,
} from '@millrace/kernel';
import { DATABASE_NAME, readCopiedCollection } from '@millrace/storage-sqlite';
import type { BackupFolder } from './BackupFolder.js';
import type { Backups } from './Backups.js';

const { text: string, boolean, integer, object, list, named, oneOf } = schema;

const BACKUP = named(
  'Backup',
  object(
    {
      name: string,
      state: oneOf('running', 'complete', 'failed'),
      startedAt: { ...integer(), description: 'UTC milliseconds.' },
      note: string,
      isScheduled: boolean,
      bytes: { ...integer(), description: 'Bytes of its files so far.' },
    },
    {
      endedAt: integer(),
      totalBytes: { ...integer(), description: 'Of a running one, approximately.' },
      documents: integer(),
      reason: { ...string, description: 'Why it failed.' },
    },
  ),
);

/** The actions of backups. */
export function backupActions(
  backups: Backups,
  { engine, security }: { readonly engine: StorageEngine; readonly security: Security },
  progress: ProgressParts,
): readonly ActionDefinition[] {
  return [
    defineAction({
      controller: 'server',
      action: 'backup',
      summary:
        'Begins a backup of all data, and answers at once. Notifications to the same connection, and server.backups, show its progress.',
      routes: [route('POST /_backup')],
      args: { note: alsoInBody(text()) },
      result: BACKUP,
      writes: true,
      run: ({ args: { note = '' }, request }) => {
        const { begun, done } = backups.begin(note, false);
        const show = async () => {
          const shown = await backups.show(begun.name);
          return shown && { ...shown };
        };
        // A failure of the backup is logged, and shown by `server.backups`.
        sendProgress(request, progress, show, done).catch(() => undefined);
        return { ...begun };
      },
    }),
    defineAction({
      controller: 'server',
      action: 'backups',
      summary: 'Lists the backups, the newest first: the running one with its progress.',
      routes: [route('GET /_backups')],
      args: {},
      result: object({ total: integer(), hits: list(BACKUP) }),
      writes: false,
      run: async () => {
        const hits = await backups.list();
        return { total: hits.length, hits: hits.map((each) => ({ ...each })) };
      },
    }),
    defineAction({
      controller: 'server',
      action: 'restoreCollection',
      summary: 'Writes one collection of a backup into a new collection of the same index.',
      routes: [route('POST /:index/:collection/_restoreFromBackup')],
      args: {
        index: required(indexName()),
        collection: required(collectionName()),
        backup: required(alsoInBody(text())),
        as: required(alsoInBody(collectionName())),
      },
      result: object({ documents: integer() }),
      writes: true,
      effect: 'createsCollection',
      run: async ({ request, args: { index, collection, backup, as } }) => {
        backups.assertPossible();
        // The right to the collection of the path says nothing about the new one.
        const target = { controller: 'server', action: 'restoreCollection', index, collection: as };
        await security.authorizeTarget(request, { ...target, id: null, body: null });
        const [from, to] = [
          { index, collection },
          { index, collection: as },
        ];
        const { folder } = backups;
        return { documents: await restoreCollection({ folder, engine }, { backup, from, to }) };
      },
    }),
  ];
}

/**
 * Writes one collection of a backup into a new collection of a running server: sources and mapping, with new versions
 * and without metadata.
 * @returns the number of documents
 * @throws core.backup_not_found, core.backup_refused, and the error of a document that can't be written
 */
async function restoreCollection(
  { folder, engine }: { readonly folder: BackupFolder; readonly engine: StorageEngine },
  { backup, from, to }: { readonly backup: string; readonly from: CollectionName; readonly to: CollectionName },
): Promise<number> {
  const { path } = await folder.find(backup);
  const copied = readCopiedCollection(join(path, DATABASE_NAME), from);
  const refuse = (reason: string) => coreErrors.backup_refused({ reason });
  if (copied === undefined) throw refuse(`the backup has no collection "${from.index}/${from.collection}"`);
  if (!(await engine.createCollection(to, copied.mapping)))
    throw refuse(`collection "${to.index}/${to.collection}" exists: choose another name`);
  let count = 0;
  for (const page of copied.pages()) {
    const operations = page.map(({ id, source }) => ({
      ...to,
      kind: 'put' as const,
      id,
      source,
      condition: 'absent' as const,
    }));
    for (const outcome of await engine.write(operations, false)) if (outcome.status === 'failed') throw outcome.error;
    count += page.length;
  }
  await engine.refresh(to.index);
  return count;
}

const PROGRESS_MS = 500;

/** The receivers and the clock of `sendProgress`. */
interface ProgressParts {
  readonly notifiers: ReadonlyMap<string, Notifier>;
  readonly clock: Clock;
}

/** A job as its notifications show it. */
type JobState = JsonObject & { readonly state: string };

/**
 * Notifies the connection that began a job of its progress, where direct responses go, and last of its outcome (`state`
 * other than `running`). Requests over HTTP have no such connection.
 * @param show the job; undefined once it isn't known any more
 * @param done settles when the job has ended
 */
async function sendProgress(
  { connection, requestId, action }: Request,
  { notifiers, clock }: ProgressParts,
  show: () => Promise<JobState | undefined>,
  done: Promise<unknown>,
): Promise<void> {
  const notifier = notifiers.get(connection.protocol);
  if (notifier === undefined) return;
  const ended = done.then(
    () => undefined,
    () => undefined,
  );
  for (let isRunning = true; isRunning;) {
    await Promise.race([pause(PROGRESS_MS, undefined, { ref: false }), ended]);
    const result = await show();
    if (result === undefined) return;
    isRunning = result.state === 'running';
    const notification = {
      requestId,
      controller: 'server',
      action,
      index: null,
      collection: null,
      metadata: {},
      state: 'done',
      scope: null,
      result,
    } as const;
    notifier.notify(connection.id, null, toEnvelope(notification, clock.nowMs()));
  }
}
