import { join } from 'node:path';
import { coreErrors, type Clock, type Lifecycle, type Logger } from '@millrace/kernel';
import type { BackupConfig } from './backupConfig.js';
import { BackupFolder } from './BackupFolder.js';
import type { BackupManifest } from './BackupManifest.js';
import { expiredBackups } from './expiredBackups.js';
import { SegmentFolder } from './SegmentFolder.js';
import { runBackup, type BackupRun } from './runBackup.js';

/** The dependencies of `Backups`. */
export interface BackupsParts {
  readonly dataDir: string;
  readonly config: BackupConfig;
  readonly internalIndex: string;
  /** Why this server can't make backups; undefined if it can. */
  readonly obstacle: () => string | undefined;
  /** Whether the memory store is the embedded one. */
  readonly memoryStore: boolean;
  /** Of the server. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A backup as actions show it. */
export interface BackupState {
  readonly name: string;
  readonly state: 'running' | 'complete' | 'failed';
  readonly startedAt: number;
  readonly note: string;
  readonly endedAt?: number;
  readonly isScheduled: boolean;
  /** Bytes of its files so far. */
  readonly bytes: number;
  /** Of a running one: approximately how many bytes there will be. */
  readonly totalBytes?: number;
  readonly documents?: number;
  /** Why it failed. */
  readonly reason?: string;
}

/** How often the last backup of other processes is looked for. */
const FIND_MS = 60_000;

type Begun = Pick<BackupState, 'name' | 'startedAt' | 'note' | 'isScheduled'>;

/** Makes and lists the backups of this server, one at a time. */
export class Backups implements Lifecycle {
  readonly folder: BackupFolder;
  private running: (Begun & { readonly run: BackupRun }) | undefined;
  private settled: Promise<void> = Promise.resolve();
  private failed: BackupState | undefined;
  private lastAtMs: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: BackupsParts) {
    const { dataDir, config } = parts;
    const directory = config.directory === '' ? join(dataDir, 'backups') : config.directory;
    this.folder = new BackupFolder(directory);
  }

  async start(): Promise<void> {
    if (this.parts.obstacle() !== undefined) return;
    try {
      await this.folder.removeUnfinished();
      await this.findLast();
    } catch (error) {
      // The server is needed more than its backups.
      this.parts.log.error({ err: error }, 'the folder of the backups can not be read');
    }
    // `millrace backup` makes backups too. A folder that can't be read leaves the age to grow.
    const find = () => void this.findLast().catch(() => undefined);
    this.timer = setInterval(find, FIND_MS).unref();
  }

  /** Waits for the running backup: its thread can't be ended within a call of SQLite. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.settled;
  }

  /** Age of the last good backup in seconds; undefined if there is none. */
  get ageSeconds(): number | undefined {
    if (this.lastAtMs === undefined) return undefined;
    return Math.max(0, this.parts.clock.nowMs() - this.lastAtMs) / 1_000;
  }

  /** For health, which needs no login: the reason is in the log. */
  get warning(): string | undefined {
    return this.failed === undefined ? undefined : 'the last backup failed';
  }

  /** @throws core.backup_refused where the engine has no backups */
  assertPossible(): void {
    const obstacle = this.parts.obstacle();
    if (obstacle !== undefined) throw coreErrors.backup_refused({ reason: obstacle });
  }

  /**
   * Begins a backup.
   * @returns its state, and `done`, which rejects if it fails
   * @throws core.backup_running, core.backup_refused
   */
  begin(note: string, isScheduled: boolean): { readonly begun: BackupState; readonly done: Promise<BackupManifest> } {
    this.assertPossible();
    if (this.running !== undefined) throw coreErrors.backup_running(this.running);
    const { dataDir, internalIndex, memoryStore, version, clock } = this.parts;
    const startedAt = clock.nowMs();
    const begun = { name: BackupFolder.nameAt(startedAt), startedAt, note, isScheduled };
    const directory = this.folder.path;
    const run = runBackup({ ...begun, dataDir, directory, internalIndex, memoryStore, version });
    this.running = { ...begun, run };
    const done = run.done.finally(() => {
      this.running = undefined;
    });
    this.settled = done.then(
      (manifest) => this.succeeded(manifest),
      (error: unknown) => this.haveFailed(begun, error),
    );
    return { begun: { ...begun, state: 'running', bytes: 0 }, done };
  }

  /** Makes the backup of the schedule, and removes those that needn't be kept. A failure is logged. */
  async runScheduled(): Promise<void> {
    const { done } = this.begin('', true);
    const isMade = await done.then(
      () => true,
      () => false,
    );
    if (!isMade) return;
    const { keep } = this.parts.config;
    const backups = await this.folder.list();
    for (const { name } of expiredBackups(backups, keep)) await this.folder.remove(name);
    // Restores to any moment begin with one of the last days.
    const bases = backups.filter(({ isScheduled }) => isScheduled).slice(0, Math.max(1, keep.daily));
    await new SegmentFolder(this.folder.path).keep(({ epoch, to }) =>
      bases.some((base) => base.epoch === epoch && base.seq < to),
    );
  }

  /** The running one, the last one if it failed, and all complete ones: the newest first. */
  async list(): Promise<readonly BackupState[]> {
    this.assertPossible();
    const complete = (await this.folder.list()).map(stateOf);
    const { running, failed } = this;
    return [
      ...(running === undefined ? [] : [await showRunning(running)]),
      ...(failed === undefined ? [] : [failed]),
      ...complete,
    ];
  }

  /** One of those of `list`; undefined if it is not among them. */
  async show(name: string): Promise<BackupState | undefined> {
    const { running, failed } = this;
    if (running?.name === name) return showRunning(running);
    if (failed?.name === name) return failed;
    const found = await this.folder.find(name).catch(() => undefined);
    return found && stateOf(found.manifest);
  }

  private async findLast(): Promise<void> {
    this.lastAtMs = (await this.folder.newest())?.startedAt;
  }

  private succeeded({ name, startedAt, endedAt }: BackupManifest): void {
    this.lastAtMs = startedAt;
    this.failed = undefined;
    this.parts.log.info({ backup: name, ms: endedAt - startedAt }, 'a backup was made');
  }

  private haveFailed(begun: Begun, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const endedAt = this.parts.clock.nowMs();
    this.failed = { ...begun, state: 'failed', endedAt, bytes: 0, reason };
    this.parts.log.error({ backup: begun.name, reason }, 'a backup failed');
  }
}

async function showRunning({ run, ...begun }: Begun & { readonly run: BackupRun }): Promise<BackupState> {
  return { ...begun, state: 'running', ...(await run.progress()) };
}

function stateOf(manifest: BackupManifest): BackupState {
  const { name, startedAt, endedAt, note, isScheduled, files, collections } = manifest;
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  const documents = collections.reduce((sum, each) => sum + each.documents, 0);
  return { name, state: 'complete', startedAt, endedAt, note, isScheduled, bytes, documents };
}
