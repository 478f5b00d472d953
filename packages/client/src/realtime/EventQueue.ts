import type { Gap, RealtimeEvent } from './RealtimeEvent.js';

const MAX_EVENTS = 10_000;
const MAX_BYTES = 8 * 2 ** 20;

interface Entry<T> {
  readonly event: RealtimeEvent<T>;
  readonly bytes: number;
}

interface Reader<T> {
  resolve(result: IteratorResult<RealtimeEvent<T>, undefined>): void;
  reject(error: Error): void;
}

/**
 * Events that wait to be read: at most 10,000 or 8 MiB. Beyond that all of them are replaced by a gap, because a reader
 * that is so slow reads its data faster than the events.
 */
export class EventQueue<T> {
  #entries: Entry<T>[] = [];
  #bytes = 0;
  /** Position of the first entry: shifting a long array is slow. */
  #first = 0;
  readonly #readers: Reader<T>[] = [];
  /** Set at the end: an error, or undefined for one without an error. */
  #end: { readonly error: Error | undefined } | undefined;

  push(event: RealtimeEvent<T>, bytes: number): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader.resolve({ value: event, done: false });
    this.#entries.push({ event, bytes });
    this.#bytes += bytes;
    if (this.#entries.length - this.#first <= MAX_EVENTS && this.#bytes <= MAX_BYTES) return;
    const { cursor } = event;
    const message = 'the events were not read in time';
    const gap: Gap = { kind: 'gap', reason: 'slow_consumer', message, ...(cursor !== undefined && { cursor }) };
    this.#entries = [{ event: gap, bytes: 0 }];
    this.#first = this.#bytes = 0;
  }

  /** The next event; rejects with the error of the end, after the events before it. */
  next(): Promise<IteratorResult<RealtimeEvent<T>, undefined>> {
    const event = this.take();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.#end === undefined) {
      return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
    }
    const { error } = this.#end;
    // Thrown once; then the iteration has ended.
    this.#end = { error: undefined };
    return error === undefined ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(error);
  }

  /** The next event that is there; undefined: none. */
  take(): RealtimeEvent<T> | undefined {
    const entry = this.#entries[this.#first];
    if (entry === undefined) return undefined;
    this.#bytes -= entry.bytes;
    this.#first++;
    if (this.#first * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
    return entry.event;
  }

  /** Ends the iteration after the events that wait. */
  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    for (const { resolve, reject } of this.#readers.splice(0)) {
      if (error === undefined) resolve({ value: undefined, done: true });
      else reject(error);
    }
  }
}
