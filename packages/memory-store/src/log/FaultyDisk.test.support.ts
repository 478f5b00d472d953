import type { LogHandle } from './LogFile.js';

const PAGE_BYTES = 4_096;

/**
 * One file with a page cache that behaves as in Linux: writes go to the cache, a sync writes dirty pages to the disk,
 * and a failed sync marks them clean nevertheless, so that the next one succeeds without having written them.
 */
export class FaultyDisk implements LogHandle {
  /** Number of following syncs that fail. */
  failingSyncs = 0;
  /** Number of following writes that fail. */
  failingWrites = 0;
  /** Called before a sync takes effect. */
  beforeSync: () => Promise<void> = async () => undefined;
  syncCount = 0;
  isClosed = false;
  private cache: Buffer = Buffer.alloc(0);
  private disk: Buffer = Buffer.alloc(0);
  private readonly dirty = new Set<number>();

  /** The content after a power failure now. */
  afterPowerFailure(): Buffer {
    return Buffer.from(this.disk);
  }

  async write(bytes: Buffer, offset: number, length: number, position: number) {
    if (this.failingWrites > 0) {
      this.failingWrites--;
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    }
    this.cache = grown(this.cache, position + length);
    bytes.copy(this.cache, position, offset, offset + length);
    const last = Math.floor((position + length - 1) / PAGE_BYTES);
    for (let page = Math.floor(position / PAGE_BYTES); page <= last; page++) this.dirty.add(page);
    return { bytesWritten: length };
  }

  async truncate(length: number): Promise<void> {
    this.cache = grown(this.cache, length).subarray(0, length);
  }

  async datasync(): Promise<void> {
    this.syncCount++;
    await this.beforeSync();
    const pages = [...this.dirty];
    this.dirty.clear();
    if (this.failingSyncs > 0) {
      this.failingSyncs--;
      throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    }
    this.disk = grown(this.disk, this.cache.length);
    for (const page of pages) this.cache.copy(this.disk, page * PAGE_BYTES, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function grown(bytes: Buffer, length: number): Buffer {
  return bytes.length >= length ? bytes : Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
}
