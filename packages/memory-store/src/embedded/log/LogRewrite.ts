import { rename, rm } from 'node:fs/promises';
import type { Clock } from '@millrace/kernel';
import type { Entry } from '../Entry.js';
import type { Keyspace, KeyspaceObserver } from '../Keyspace.js';
import { rebuildCommands } from '../rebuildCommands.js';
import type { LoggedCommand } from './encodeCommands.js';
import { LogFile } from './LogFile.js';
import type { LogFolder } from './LogFolder.js';
import { toRecord } from './LogRecords.js';

/** How long the walk may hold the event loop at a time. */
const SLICE_MS = 2;
const RECORD_BYTES = 262_144;
const MAX_UNSYNCED_BYTES = 16_777_216;

/**
 * Design note. A rewrite writes every key as it was at one moment, while commands go on. From that moment on new commands
 * go to a new file. Keys are walked in short slices; a key that is about to change before the walk has come to it is
 * written first (copy on write, by key), and keys made later are left out, as the new file has them whole. Every key
 * carries the number of the rewrite that is done with it. Should all keys be removed meanwhile, the rewrite is abandoned.
 */
export class LogRewrite implements KeyspaceObserver {
  private readonly epoch: number;
  private records: Buffer[] = [];
  private isAbandoned = false;

  constructor(
    private readonly keyspace: Keyspace,
    private readonly folder: LogFolder,
    private readonly generation: number,
    private readonly clock: Clock,
  ) {
    this.epoch = ++keyspace.epoch;
    keyspace.observe(this);
  }

  beforeChange(entry: Entry): void {
    if (entry.epoch >= this.epoch) return;
    entry.epoch = this.epoch;
    this.write(entry);
  }

  beforeClear(): void {
    this.isAbandoned = true;
    this.keyspace.observe(undefined);
  }

  /**
   * Walks all keys.
   * @param switched resolves when the log goes on in the next file: the base counts only from then on
   * @returns the size of the base in bytes; undefined where it was abandoned
   */
  async run(switched: Promise<void>): Promise<number | undefined> {
    const path = this.folder.unfinishedPath(this.generation);
    const file = await LogFile.create(path);
    try {
      let place = this.keyspace.placeCount - 1;
      while (place >= 0 && !this.isAbandoned) {
        place = this.walk(place);
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
      await file.close().catch(() => undefined);
      if (this.isAbandoned) await rm(path, { force: true });
    }
    if (this.isAbandoned) return undefined;
    await rename(path, this.folder.basePath(this.generation));
    await this.folder.sync();
    return file.size;
  }

  /** From the last place to the first: closing up the table only moves keys towards the front. */
  private walk(from: number): number {
    const endMs = this.clock.monotonicMs() + SLICE_MS;
    let place = Math.min(from, this.keyspace.placeCount - 1);
    for (let steps = 1; place >= 0; place--, steps++) {
      const entry = this.keyspace.entryAt(place);
      if (entry !== undefined) this.beforeChange(entry);
      if (steps % 16 === 0 && this.clock.monotonicMs() > endMs) return place - 1;
    }
    return place;
  }

  private write({ key, value, expiresAtMs }: Entry): void {
    let [commands, bytes]: [LoggedCommand[], number] = [[], 0];
    for (const command of rebuildCommands(key, value)) {
      commands.push(command);
      bytes += command.reduce((sum, word) => sum + word.length, 0);
      if (bytes < RECORD_BYTES) continue;
      this.records.push(toRecord(commands));
      [commands, bytes] = [[], 0];
    }
    if (expiresAtMs !== 0) commands.push(['PEXPIREAT', key, String(expiresAtMs)]);
    if (commands.length > 0) this.records.push(toRecord(commands));
  }

  private async drain(file: LogFile): Promise<void> {
    const { records } = this;
    this.records = [];
    for (const record of records) await file.write(record);
    // What is not synced is kept in memory.
    if (file.unsyncedBytes > MAX_UNSYNCED_BYTES) await file.sync();
  }
}
