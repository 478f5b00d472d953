import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { HEAD_BYTES, newHead, slotPosition, toSlot, type SyncedPoint } from './LogHead.js';

/** What a log file needs of an open file; `FileHandle` has it. */
export interface LogHandle {
  write(bytes: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesWritten: number }>; // prettier-ignore
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

interface Piece {
  readonly at: number;
  readonly bytes: Buffer;
}

const OWNER_ONLY = 0o600;
// Absent on Windows.
const NO_LINK = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/** Opens a log file without following a symbolic link; an absent one is made where `isNew`. */
export async function openLogHandle(path: string, isNew: boolean): Promise<LogHandle> {
  const flags = isNew ? constants.O_CREAT | constants.O_TRUNC : 0;
  return open(path, constants.O_RDWR | NO_LINK | flags, OWNER_ONLY);
}

/**
 * Design note. A log file open for appending. Writes go to positions it knows, so that a failed one can be repeated.
 *
 * After a failed sync the system may drop the pages concerned and report success the next time (Linux marks them clean:
 * "fsyncgate"), so a repeated sync proves nothing. What was written since the last good sync is therefore kept in
 * memory and written again before the next sync; until that succeeds `doubt` says why nothing more can be promised.
 * Syncs run one after the other; writes may go on meanwhile and are left for the next sync.
 */
export class LogFile {
  private unsynced: Piece[] = [];
  private unsyncedCount = 0;
  private isWriting = false;
  private isClosed = false;
  private syncs: Promise<void> = Promise.resolve();
  private doubtText: string | undefined;

  private synced: SyncedPoint;

  private constructor(
    private readonly handle: LogHandle,
    private end: number,
  ) {
    this.synced = { sequence: 1, bytes: end };
  }

  /** A new file, its head synced. */
  static async create(path: string, openHandle = openLogHandle): Promise<LogFile> {
    const handle = await openHandle(path, true);
    return new LogFile(handle, HEAD_BYTES).begin();
  }

  /** A file that is there, cut behind its last good byte; the cut is synced. */
  static async reopen(
    path: string,
    goodBytes: number,
    openHandle = openLogHandle,
  ): Promise<LogFile> {
    // prettier-ignore
    if (goodBytes < HEAD_BYTES) return LogFile.create(path, openHandle);
    const handle = await openHandle(path, false);
    return new LogFile(handle, goodBytes).begin();
  }

  /** In bytes. */
  get size(): number {
    return this.end;
  }

  /** Written since the last sync, in bytes. */
  get unsyncedBytes(): number {
    return this.unsyncedCount;
  }

  /** Why what was written can't be promised to be on the disk; undefined while all is well. */
  get doubt(): string | undefined {
    return this.doubtText;
  }

  /** One at a time. The bytes must not be changed afterwards. */
  async write(bytes: Buffer): Promise<void> {
    this.isWriting = true;
    try {
      await this.writeAt({ at: this.end, bytes });
    } finally {
      this.isWriting = false;
    }
    this.unsynced.push({ at: this.end, bytes });
    this.unsyncedCount += bytes.length;
    this.end += bytes.length;
  }

  /** Forces everything written up to now to the disk. */
  sync(): Promise<void> {
    const done = this.syncs.then(() => this.syncNow());
    this.syncs = done.catch(() => undefined);
    return done;
  }

  /** Syncs and closes; may be called again after it has failed, and once it is done. */
  async finish(): Promise<void> {
    if (this.isClosed) return;
    await this.sync();
    // The slot of that sync: a clean end leaves no doubt about the last records.
    await this.handle.datasync();
    await this.close();
  }

  /** Closes without a sync. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    await this.syncs;
    this.isClosed = true;
    await this.handle.close();
  }

  /** Cuts the file at its end and writes its head: the slots of before may promise more than is left. */
  private async begin(): Promise<LogFile> {
    const { handle, end, synced } = this;
    try {
      await handle.truncate(end);
      await this.writeAt({ at: 0, bytes: newHead(synced) });
      await handle.datasync();
      return this;
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  private async syncNow(): Promise<void> {
    if (this.isClosed || (this.unsynced.length === 0 && this.doubtText === undefined)) return;
    const pieces = [...this.unsynced];
    // A write that is under way may have met the failure too: it is written again by the next sync.
    const { end, isWriting } = this;
    try {
      if (this.doubtText !== undefined) for (const piece of pieces) await this.writeAt(piece);
      await this.handle.datasync();
    } catch (error) {
      this.doubtText = messageOf(error);
      throw error;
    }
    if (this.doubtText !== undefined && !isWriting) this.doubtText = undefined;
    this.unsynced = this.unsynced.slice(pieces.length);
    this.unsyncedCount -= pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.synced = { sequence: this.synced.sequence + 1, bytes: end };
    // A slot that is not written only makes the synced point older than it is.
    await this.writeSlot().catch(() => undefined);
  }

  private async writeSlot(): Promise<void> {
    await this.writeAt({ at: slotPosition(this.synced.sequence), bytes: toSlot(this.synced) });
  }

  private async writeAt({ at, bytes }: Piece): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const left = bytes.length - done;
      const { bytesWritten } = await this.handle.write(bytes, done, left, at + done);
      done += bytesWritten;
    }
  }
}

/** The code of a failure of the system, which names no path; else its message. */
export function messageOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
