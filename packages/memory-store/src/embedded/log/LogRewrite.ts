import { rename, rm } from 'node:fs/promises';
import type { Clock } from '@millrace/kernel';
import type { Entry } from '../Entry.js';
import type { Keyspace, KeyspaceObserver } from '../Keyspace.js';
import { rebuildCommands } from '../rebuildCommands.js';
import { runToEnd, type Steps } from '../../steps/Steps.js';
import type { LoggedCommand } from './encodeCommands.js';
import { LogFile } from './LogFile.js';
import type { LogFolder } from './LogFolder.js';
import type { AtRest } from './CommandLog.js';
import { toRecordInSteps } from './LogRecords.js';

/** Keys estimated to be larger are written in steps. */
const LARGE_BYTES = 262_144;
/** How long the walk may hold the event loop at a time. */
const SLICE_MS = 2;
const RECORD_BYTES = 262_144;
const WRITE_BYTES = 1_048_576;
const MAX_UNSYNCED_BYTES = 16_777_216;

/** What a rewrite works on. */
export interface LogRewriteParts {
  readonly keyspace: Keyspace;
  readonly folder: LogFolder;
  readonly generation: number;
  readonly clock: Clock;
  readonly atRest: AtRest;
}

/**
 * Design note. A rewrite writes every key as it was at one moment, while commands go on. From that moment on new commands
 * go to a new file. Keys are walked in short slices; a key that is about to change before the walk has come to it is
 * written first (copy on write, by key), and keys made later are left out, as the new file has them whole. A large key
 * is written in steps during which no command runs: when the walk comes to it, or before the first command that names it
 * and writes. Every key carries the number of the rewrite that is done with it. Should all keys be removed meanwhile, the
 * rewrite is abandoned.
 */
export class LogRewrite implements KeyspaceObserver {
  private epoch = 0;
  private records: Buffer[] = [];
  private isAbandoned = false;
  /** A large key that the walk has come to. */
  private large: Entry | undefined;

  constructor(private readonly parts: LogRewriteParts) {}

  /** The moment that it describes. */
  begin(): void {
    const { keyspace } = this.parts;
    this.epoch = ++keyspace.epoch;
    keyspace.observe(this);
  }

  beforeChange(entry: Entry): void {
    if (entry.epoch < this.epoch) runToEnd(this.save(entry));
  }

  isUnsaved(entry: Entry): boolean {
    return entry.epoch < this.epoch && entry.countedBytes > LARGE_BYTES;
  }

  *save(entry: Entry): Steps<void> {
    if (entry.epoch >= this.epoch) return;
    entry.epoch = this.epoch;
    yield* this.write(entry);
  }

  beforeClear(): void {
    this.isAbandoned = true;
    this.parts.keyspace.observe(undefined);
  }

  /**
   * Walks all keys.
   * @param switched resolves when the log goes on in the next file: the base counts only from then on
   * @returns the size of the base in bytes; undefined where it was abandoned
   */
  async run(switched: Promise<void> | undefined): Promise<number | undefined> {
    const path = this.parts.folder.unfinishedPath(this.parts.generation);
    let file: LogFile | undefined;
    try {
      file = await LogFile.create(path);
      let place = this.parts.keyspace.placeCount - 1;
      while (place >= 0 && !this.isAbandoned) {
        place = this.walk(place);
        await this.saveLarge();
        await this.drain(file);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await this.drain(file);
      await file.finish();
      await switched;
    } catch (error) {
      this.isAbandoned = true;
      throw error;
    } finally {
      this.parts.keyspace.observe(undefined);
      await file?.close().catch(() => undefined);
      if (this.isAbandoned) await rm(path, { force: true });
    }
    if (this.isAbandoned) return undefined;
    await rename(path, this.parts.folder.basePath(this.parts.generation));
    await this.parts.folder.sync();
    return file.size;
  }

  /** From the last place to the first: closing up the table only moves keys towards the front. */
  private walk(from: number): number {
    const { keyspace, clock } = this.parts;
    const endMs = clock.monotonicMs() + SLICE_MS;
    let place = Math.min(from, keyspace.placeCount - 1);
    for (let steps = 1; place >= 0; place--, steps++) {
      const entry = keyspace.entryAt(place);
      if (entry === undefined) continue;
      if (this.isUnsaved(entry)) {
        this.large = entry;
        return place - 1;
      }
      this.beforeChange(entry);
      if (steps % 16 === 0 && clock.monotonicMs() > endMs) return place - 1;
    }
    return place;
  }

  private async saveLarge(): Promise<void> {
    const { large } = this;
    this.large = undefined;
    if (large !== undefined) await this.parts.atRest(() => this.save(large));
  }

  private *write({ key, value, expiresAtMs }: Entry): Steps<void> {
    let [commands, bytes]: [LoggedCommand[], number] = [[], 0];
    for (const command of rebuildCommands(key, value)) {
      commands.push(command);
      bytes += command.reduce((sum, word) => sum + word.length, 0);
      yield;
      if (bytes < RECORD_BYTES) continue;
      this.records.push(yield* toRecordInSteps(commands));
      [commands, bytes] = [[], 0];
    }
    if (expiresAtMs !== 0) commands.push(['PEXPIREAT', key, String(expiresAtMs)]);
    if (commands.length > 0) this.records.push(yield* toRecordInSteps(commands));
  }

  private async drain(file: LogFile): Promise<void> {
    const { records } = this;
    this.records = [];
    for (const batch of joined(records)) await file.write(batch);
    // What is not synced is kept in memory.
    if (file.unsyncedBytes > MAX_UNSYNCED_BYTES) await file.sync();
  }
}

/** Records joined to writes of some size. */
function* joined(records: readonly Buffer[]): Iterable<Buffer> {
  let [batch, bytes]: [Buffer[], number] = [[], 0];
  for (const record of records) {
    batch.push(record);
    bytes += record.length;
    if (bytes < WRITE_BYTES) continue;
    yield batch.length === 1 ? record : Buffer.concat(batch);
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield Buffer.concat(batch);
}
