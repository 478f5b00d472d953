import { open, type FileHandle } from 'node:fs/promises';
import { memoryErrors } from '@millrace/kernel';
import type { LoggedCommand } from './encodeCommands.js';
import { ANY_MARK, firstDamageOf, HEAD_BYTES, LOG_MARK, OLD_MARK, readSyncedPoint } from './LogHead.js';
import { readRecord, type FoundRecord } from './LogRecords.js';

const CHUNK_BYTES = 1_048_576;

/** How much of a file was intact. */
export interface LogReading {
  /** The file is intact up to here; 0 if not even its head is. */
  readonly goodBytes: number;
  /** Bytes after that, left by a crash. */
  readonly tornBytes: number;
  /** Synced bytes that are missing at the end of the file: the disk has lost data that it had confirmed. */
  readonly lostBytes: number;
  /** False for a file of an older version, which is not appended to. */
  readonly hasHead: boolean;
}

/**
 * Reads a log file and passes on its records in order.
 * @param mayBeTorn true for the file that was being written when the process ended
 * @throws memory.unavailable naming the file and the position of the damage, or a format of a later version
 */
export async function readLogFile(
  path: string,
  mayBeTorn: boolean,
  take: (commands: readonly LoggedCommand[]) => void,
): Promise<LogReading> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const reader = new LogReader(path, file, size);
    const head = await reader.readHead();
    if (head === undefined) {
      // Interrupted while the file was being created.
      if (!mayBeTorn || !(await reader.isUnfinishedHead())) throw damaged(path, 0);
      return { goodBytes: 0, tornBytes: size, lostBytes: 0, hasHead: true };
    }
    for (;;) {
      const commands = await reader.next();
      if (commands !== undefined) {
        take(commands);
        continue;
      }
      const goodBytes = reader.position;
      const tornBytes = size - goodBytes;
      const { hasHead, syncedBytes } = head;
      const lostBytes = Math.max(0, (syncedBytes ?? 0) - size);
      if (tornBytes > 0) {
        const isTorn = mayBeTorn && (await reader.isTornHere(syncedBytes));
        if (!isTorn) throw damaged(path, goodBytes);
      } else if (lostBytes > 0 && !mayBeTorn) throw damaged(path, goodBytes);
      return { goodBytes, tornBytes, lostBytes, hasHead };
    }
  } finally {
    await file.close();
  }
}

/** Whether a log file contains any record, or a part of one. */
export async function hasRecords(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const mark = Buffer.alloc(OLD_MARK.length);
    await file.read(mark, 0, mark.length, 0);
    return size > (mark.equals(OLD_MARK) ? OLD_MARK.length : HEAD_BYTES);
  } finally {
    await file.close();
  }
}

function damaged(path: string, position: number): Error {
  const reason = `the log "${path}" is damaged at byte ${position}; restore it from a copy, or move it away to start without what it holds`;
  return memoryErrors.unavailable({ reason });
}

/** @param format the digit of its mark */
function foreign(path: string, format: string): Error {
  const own = ANY_MARK.exec(LOG_MARK.toString('latin1'))?.[1];
  const reason = `the log "${path}" has format ${format} and this version reads format ${own}: use the version that wrote it`;
  return memoryErrors.unavailable({ reason });
}

class LogReader {
  /** Position of the next record in the file. */
  position = 0;
  private held: Buffer = Buffer.alloc(0);

  constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly size: number,
  ) {}

  /** @returns undefined if the file doesn't begin with a head */
  async readHead(): Promise<{ hasHead: boolean; syncedBytes: number | undefined } | undefined> {
    await this.hold(HEAD_BYTES);
    const mark = this.held.subarray(0, LOG_MARK.length);
    if (mark.equals(OLD_MARK)) {
      this.drop(OLD_MARK.length);
      return { hasHead: false, syncedBytes: undefined };
    }
    const format = ANY_MARK.exec(mark.toString('latin1'))?.[1];
    if (format !== undefined && !mark.equals(LOG_MARK)) throw foreign(this.path, format);
    if (format === undefined || this.held.length < HEAD_BYTES) return undefined;
    const head = this.held.subarray(0, HEAD_BYTES);
    const damage = firstDamageOf(head);
    if (damage !== undefined) throw damaged(this.path, damage);
    const syncedBytes = readSyncedPoint(head)?.bytes;
    this.drop(HEAD_BYTES);
    return { hasHead: true, syncedBytes };
  }

  /** Whether the head was written partially or not at all, with nothing after it. */
  async isUnfinishedHead(): Promise<boolean> {
    if (this.size > HEAD_BYTES) return false;
    await this.hold(this.size);
    const { held } = this;
    const length = Math.min(held.length, LOG_MARK.length);
    const isBegun = [LOG_MARK, OLD_MARK].some((mark) => mark.subarray(0, length).equals(held.subarray(0, length)));
    return isBegun || held.every((byte) => byte === 0);
  }

  /** @returns undefined at the end, and if no complete record follows */
  async next(): Promise<readonly LoggedCommand[] | undefined> {
    for (;;) {
      const found = readRecord(this.held);
      if (found.kind === 'record') {
        this.drop(found.length);
        return found.commands;
      }
      if (found.kind === 'damaged') return undefined;
      if (!(await this.hold(found.length))) return undefined;
    }
  }

  /**
   * Whether a crash or a power failure may have left the rest of the file. That holds for any damage after the synced
   * point; before it, only for a file that is shorter than that. Without a synced point: for a record cut short by the
   * end of the file, or a damaged one followed only by zeros.
   */
  async isTornHere(syncedBytes: number | undefined): Promise<boolean> {
    const found = readRecord(this.held);
    if (syncedBytes === undefined) return found.kind === 'short' || this.isZerosBehind(found);
    return this.position >= syncedBytes || (found.kind === 'short' && this.size < syncedBytes);
  }

  private async isZerosBehind(found: FoundRecord): Promise<boolean> {
    let at = found.length;
    for (;;) {
      for (; at < this.held.length; at++) if (this.held[at] !== 0) return false;
      if (!(await this.hold(this.held.length + CHUNK_BYTES))) {
        return this.held.subarray(at).every((byte) => byte === 0);
      }
    }
  }

  private drop(length: number): void {
    this.held = this.held.subarray(length);
    this.position += length;
  }

  /** Reads until this many bytes are buffered. @returns false if the file ends before */
  private async hold(length: number): Promise<boolean> {
    const end = this.position + this.held.length;
    const wanted = Math.min(this.size - end, Math.max(length - this.held.length, CHUNK_BYTES));
    if (this.held.length >= length) return true;
    if (wanted > 0) {
      const more = Buffer.allocUnsafe(wanted);
      const { bytesRead } = await this.file.read(more, 0, wanted, end);
      this.held = Buffer.concat([this.held, more.subarray(0, bytesRead)]);
    }
    return this.held.length >= length;
  }
}
