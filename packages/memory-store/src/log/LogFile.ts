import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { HEAD_BYTES, newHead, slotPosition, toSlot, type SyncedPoint } from './LogHead.js';

/** The operations of an open file that a log file uses; `FileHandle` has them. */
export interface LogHandle {
  write(bytes: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesWritten: number }>;
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

/** Opens a log file without following a symbolic link; creates it if `isNew`. */
export async function openLogHandle(path: string, isNew: boolean): Promise<LogHandle> {
  const flags = isNew ? constants.O_CREAT | constants.O_TRUNC : 0;
  return open(path, constants.O_RDWR | NO_LINK | flags, OWNER_ONLY);
}

/**
 * Design note. A log file open for appending. Writes go to known positions, so that a failed one can be repeated.
 *
 * After a failed sync the operating system may drop the affected pages and report success the next time (Linux marks
 * them clean: "fsyncgate"), so a repeated sync proves nothing. Bytes written since the last successful sync are
 * therefore kept in memory and written again before the next sync; until that succeeds, `doubt` says why durability
 * can't be guaranteed. Syncs run one after the other; writes may continue in the meantime and are covered by the next
 * sync.
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

  /** Creates a new file and syncs its head. */
  static async create(path: string, openHandle = openLogHandle): Promise<LogFile> {
    const handle = await openHandle(path, true);
    return new LogFile(handle, HEAD_BYTES).begin();
  }

  /** Opens an existing file, truncated after its last good byte; the truncation is synced. */
  static async reopen(path: string, goodBytes: number, openHandle = openLogHandle): Promise<LogFile> {
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

  /** Why written data may not be on the disk; undefined if everything is fine. */
  get doubt(): string | undefined {
    return this.doubtText;
  }

  /** One call at a time. The bytes must not be changed afterwards. */
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

  /** Syncs everything written so far to the disk. */
  sync(): Promise<void> {
    const done = this.syncs.then(() => this.syncNow());
    this.syncs = done.catch(() => undefined);
    return done;
  }

  /** Syncs and closes; may be called again after a failure, and after completion. */
  async finish(): Promise<void> {
    if (this.isClosed) return;
    await this.sync();
    // Writes the slot of that sync: after a clean shutdown, all records are known to be synced.
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

  /** Truncates the file at the current position and writes its head: old slots may claim more bytes than are left. */
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
    // A write in progress may also be affected by the failure: the next sync writes it again.
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
    // If a slot can't be written, the recorded synced point is merely older than the actual one.
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

/** The code of a system error, which contains no path; otherwise its message. */
export function messageOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
