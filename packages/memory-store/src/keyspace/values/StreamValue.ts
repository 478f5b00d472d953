/** Id of an entry: milliseconds and a sequence number, both 64 bits. */
export interface StreamId {
  readonly ms: bigint;
  readonly sequence: bigint;
}

/** One entry. */
export interface StreamEntry {
  readonly id: StreamId;
  /** Field, value, field, value… */
  readonly fields: readonly string[];
}

const STREAM_BYTES = 160;
const ENTRY_BYTES = 120;

/** -1, 0 or 1. */
export function compareIds(left: StreamId, right: StreamId): number {
  if (left.ms !== right.ms) return left.ms < right.ms ? -1 : 1;
  return left.sequence === right.sequence ? 0 : left.sequence < right.sequence ? -1 : 1;
}

/** `1700000000000-0` */
export function showId({ ms, sequence }: StreamId): string {
  return `${ms}-${sequence}`;
}

/** A stream: entries in an array in order of their ids, which only grow. Trimming moves the first position. */
export class StreamValue {
  readonly type = 'stream';
  private entries: StreamEntry[] = [];
  private first = 0;
  lastId: StreamId = { ms: 0n, sequence: 0n };
  bytes = STREAM_BYTES;

  get size(): number {
    return this.entries.length - this.first;
  }

  append(entry: StreamEntry): void {
    this.entries.push(entry);
    this.lastId = entry.id;
    this.bytes += sizeOf(entry);
  }

  /** The position of the first entry with at least this id. */
  positionOf(id: StreamId): number {
    let [low, high] = [this.first, this.entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds((this.entries[middle] as StreamEntry).id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low - this.first;
  }

  at(position: number): StreamEntry | undefined {
    return this.entries[this.first + position];
  }

  delete(id: StreamId): boolean {
    const position = this.positionOf(id);
    const entry = this.at(position);
    if (entry === undefined || compareIds(entry.id, id) !== 0) return false;
    this.entries.splice(this.first + position, 1);
    this.bytes -= sizeOf(entry);
    return true;
  }

  /** All entries; the stream must not be changed in the meantime. */
  *entriesInOrder(): IterableIterator<StreamEntry> {
    for (let at = this.first; at < this.entries.length; at++) yield this.entries[at] as StreamEntry;
  }

  /** Removes all entries; the last id stays. */
  clear(): void {
    this.entries = [];
    this.first = 0;
    this.bytes = STREAM_BYTES;
  }

  /** Puts back an entry removed by `clear`; to be called in order. */
  restore(entry: StreamEntry): void {
    this.entries.push(entry);
    this.bytes += sizeOf(entry);
  }

  /** Removes the oldest entries. */
  removeFirst(count: number): void {
    for (let at = 0; at < count; at++) this.bytes -= sizeOf(this.at(at) as StreamEntry);
    this.first += count;
    if (this.first <= this.entries.length / 2) return;
    this.entries = this.entries.slice(this.first);
    this.first = 0;
  }
}

function sizeOf({ fields }: StreamEntry): number {
  return fields.reduce((sum, field) => sum + field.length + 16, ENTRY_BYTES);
}
