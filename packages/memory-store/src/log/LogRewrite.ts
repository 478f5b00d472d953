import { rename, rm } from 'node:fs/promises';
import type { Clock } from '@millrace/kernel';
import type { Entry } from '../keyspace/Entry.js';
import type { Keyspace, KeyspaceObserver } from '../keyspace/Keyspace.js';
import { rebuildCommands } from './rebuildCommands.js';
import { runToEnd, type Steps } from '../steps/Steps.js';
import type { LoggedCommand } from './encodeCommands.js';
import { LogFile } from './LogFile.js';
import type { LogFolder } from './LogFolder.js';
import type { AtRest } from './CommandLog.js';
import { toRecordInSteps } from './LogRecords.js';

/** Keys estimated to be larger are written in steps. */
const LARGE_BYTES = 262_144;
/** How long the walk may block the event loop at a time. */
const SLICE_MS = 2;
const RECORD_BYTES = 262_144;
const WRITE_BYTES = 1_048_576;
const MAX_UNSYNCED_BYTES = 16_777_216;

/**
 * Design note. A rewrite writes every key as it was at one moment, while commands continue. From that moment on, new
 * commands go to a new file. Keys are walked in short slices; a key that is about to change before the walk has reached
 * it is written first (copy on write, by key), and keys created later are left out, since the new file contains them
 * completely. A large key is written in steps during which no command runs: when the walk reaches it, or before the
 * first write command that names it. Every key carries the number of the last rewrite that has handled it. If all keys
 * are removed in the meantime, the rewrite is abandoned.
 */
export class LogRewrite implements KeyspaceObserver {
  private epoch = 0;
  private records: Buffer[] = [];
  private isAbandoned = false;
  /** The large key that the walk has reached. */
  private large: Entry | undefined;

  constructor(
    private readonly keyspace: Keyspace,
    private readonly folder: LogFolder,
    private readonly generation: number,
    private readonly clock: Clock,
    private readonly atRest: AtRest,
  ) {}

  /** Marks the moment that it describes. */
  begin(): void {
    const { keyspace } = this;
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
    this.keyspace.observe(undefined);
  }

  /**
   * Walks all keys.
   * @param switched resolves when the log continues in the next file: the base is valid only from then on
   * @returns the size of the base in bytes; undefined if the rewrite was abandoned
   */
  async run(switched: Promise<void> | undefined): Promise<number | undefined> {
    const path = this.folder.unfinishedPath(this.generation);
    let file: LogFile | undefined;
    try {
      file = await LogFile.create(path);
      let place = this.keyspace.placeCount - 1;
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
      this.keyspace.observe(undefined);
      await file?.close().catch(() => undefined);
      if (this.isAbandoned) await rm(path, { force: true });
    }
    if (this.isAbandoned) return undefined;
    await rename(path, this.folder.basePath(this.generation));
    await this.folder.sync();
    return file.size;
  }

  /** From the last position to the first: compacting the table only moves keys towards the front. */
  private walk(from: number): number {
    const { keyspace, clock } = this;
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
    if (large !== undefined) await this.atRest(() => this.save(large));
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
    // Unsynced data is held in memory.
    if (file.unsyncedBytes > MAX_UNSYNCED_BYTES) await file.sync();
  }
}

/** Combines records into writes of a certain size. */
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
