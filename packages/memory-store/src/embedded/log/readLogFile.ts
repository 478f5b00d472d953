import { open, type FileHandle } from 'node:fs/promises';
import { memoryErrors } from '@millrace/kernel';
import type { LoggedCommand } from './encodeCommands.js';
import { LOG_MARK, readRecord } from './LogRecords.js';

const CHUNK_BYTES = 1_048_576;

/** How much of a file was good. */
export interface LogReading {
  readonly recordCount: number;
  /** Up to here the file is whole. */
  readonly goodBytes: number;
  /** Bytes behind, cut by a crash. */
  readonly tornBytes: number;
}

/**
 * Reads a log file and hands on its records in order.
 * @param mayBeTorn true for the file that was being written when the server ended
 * @throws memory.unavailable naming the file and the place where it is damaged
 */
export async function readLogFile(
  path: string,
  mayBeTorn: boolean,
  take: (commands: readonly LoggedCommand[]) => void,
): Promise<LogReading> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const reader = new LogReader(file, size);
    if (!(await reader.readMark())) {
      // Cut while the file was being made.
      if (mayBeTorn && size < LOG_MARK.length)
        return { recordCount: 0, goodBytes: 0, tornBytes: size };
      throw damaged(path, 0);
    }
    for (let recordCount = 0; ; recordCount++) {
      const commands = await reader.next();
      if (commands !== undefined) {
        take(commands);
        continue;
      }
      const tornBytes = size - reader.position;
      if (tornBytes > 0 && !(mayBeTorn && (await reader.isTornHere())))
        throw damaged(path, reader.position);
      return { recordCount, goodBytes: reader.position, tornBytes };
    }
  } finally {
    await file.close();
  }
}

function damaged(path: string, position: number): Error {
  const reason = `the log "${path}" is damaged at byte ${position}; restore it from a copy, or move it away to start without what it holds`;
  return memoryErrors.unavailable({ reason });
}

class LogReader {
  /** Of the next record in the file. */
  position = 0;
  private held: Buffer = Buffer.alloc(0);

  constructor(
    private readonly file: FileHandle,
    private readonly size: number,
  ) {}

  async readMark(): Promise<boolean> {
    await this.hold(LOG_MARK.length);
    if (!this.held.subarray(0, LOG_MARK.length).equals(LOG_MARK)) return false;
    this.drop(LOG_MARK.length);
    return true;
  }

  /** @returns undefined at the end, and where no whole record follows */
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

  /** Is the rest of the file what a crash leaves: a record cut short, or one followed by nothing but zeros? */
  async isTornHere(): Promise<boolean> {
    const found = readRecord(this.held);
    if (found.kind === 'short') return true;
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

  /** Reads until so many bytes are held. @returns false where the file ends first */
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
