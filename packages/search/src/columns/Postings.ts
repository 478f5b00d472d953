import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';
import { growInt32, growUint16 } from './grow.js';

/*
 * Which slots have which code (a term's number), and its frequency there.
 *
 * New postings are appended to a log, ordered by slot; the entries of one code are linked backwards, so reading them
 * costs time proportional to their number. When the log has grown to a fraction of the whole, a counting sort packs
 * everything into one run of slots per code, which takes half the memory and is read in one sweep. So packing costs a
 * constant number of copies per posting, whatever the number of documents. It is done in steps, as searches wait for
 * each: until the last one, the lists are read from what was there before.
 */
const MIN_LOG_TO_PACK = 1 << 17;

/** Postings copied in one step, about a millisecond; so many more for each that was added since the last step. */
const MIN_STEP = 1 << 18;
const STEP_PER_ADDED = 64;

/** Higher frequencies are capped to this value. */
const MAX_FREQUENCY = 0xffff;

/** The postings of one code: slots ascending, each once. */
export interface PostingList {
  readonly slots: Int32Array;
  /** Undefined if every frequency is 1 because the field doesn't count them. */
  readonly frequencies: Uint16Array | undefined;
}

/** The result of packing, as far as it is made. */
interface Packing {
  /** Entries of the log that are packed; later ones remain in it. */
  readonly logLength: number;
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly frequencies: Uint16Array;
  /** By code: where its next slot goes. */
  readonly next: Int32Array;
  /** Codes whose packed slots are copied, and entries of the log. */
  code: number;
  at: number;
}

const EMPTY: PostingList = { slots: new Int32Array(0), frequencies: undefined };

export class Postings {
  private packedStarts: Int32Array = new Int32Array(1);
  private packedSlots: Int32Array = new Int32Array(0);
  private packedFrequencies: Uint16Array = new Uint16Array(0);
  private packedCodes = 0;

  private logLength = 0;
  private logCodes: Int32Array = new Int32Array(0);
  private logSlots: Int32Array = new Int32Array(0);
  private logPrevious: Int32Array = new Int32Array(0);
  private logFrequencies: Uint16Array = new Uint16Array(0);
  /** By code: index of its last log entry plus one, 0 for none; and its number of log entries. */
  private lastInLog: Int32Array = new Int32Array(0);
  private countInLog: Int32Array = new Int32Array(0);

  private packing: Packing | undefined;
  /** Length of the log at the last step. */
  private seenLength = 0;

  constructor(private readonly hasFrequencies: boolean) {}

  /** Slots must not decrease between calls, and each pair may be added once. */
  add(code: number, slot: number, frequency: number): void {
    const at = this.logLength;
    this.logLength += 1;
    this.logCodes = growInt32(this.logCodes, at + 1);
    this.logSlots = growInt32(this.logSlots, at + 1);
    this.logPrevious = growInt32(this.logPrevious, at + 1);
    if (code >= this.lastInLog.length) {
      this.lastInLog = growInt32(this.lastInLog, code + 1);
      this.countInLog = growInt32(this.countInLog, this.lastInLog.length);
    }
    this.logCodes[at] = code;
    this.logSlots[at] = slot;
    this.logPrevious[at] = this.lastInLog[code] as number;
    this.lastInLog[code] = at + 1;
    this.countInLog[code] = (this.countInLog[code] as number) + 1;
    if (this.hasFrequencies) {
      this.logFrequencies = growUint16(this.logFrequencies, at + 1);
      this.logFrequencies[at] = Math.min(frequency, MAX_FREQUENCY);
    }
  }

  /**
   * As `add`, but a pair may be added repeatedly while its document is being indexed: the frequency counts the calls.
   * @returns whether it was the first time
   */
  addOccurrence(code: number, slot: number): boolean {
    const last = code < this.lastInLog.length ? (this.lastInLog[code] as number) : 0;
    if (last === 0 || this.logSlots[last - 1] !== slot) {
      this.add(code, slot, 1);
      return true;
    }
    if ((this.logFrequencies[last - 1] as number) < MAX_FREQUENCY) {
      this.logFrequencies[last - 1] = (this.logFrequencies[last - 1] as number) + 1;
    }
    return false;
  }

  /** The number of slots with the code, including dead ones. */
  count(code: number): number {
    return this.packedCount(code) + (code < this.countInLog.length ? (this.countInLog[code] as number) : 0);
  }

  /** The list is valid until the next `add` or `pack`. */
  list(code: number): PostingList {
    const packed = this.packedCount(code);
    const logged = this.count(code) - packed;
    if (packed + logged === 0) return EMPTY;
    const start = packed === 0 ? 0 : (this.packedStarts[code] as number);
    if (logged === 0) {
      return {
        slots: this.packedSlots.subarray(start, start + packed),
        frequencies: this.hasFrequencies ? this.packedFrequencies.subarray(start, start + packed) : undefined,
      };
    }
    const slots = new Int32Array(packed + logged);
    slots.set(this.packedSlots.subarray(start, start + packed));
    const frequencies = this.hasFrequencies ? new Uint16Array(packed + logged) : undefined;
    frequencies?.set(this.packedFrequencies.subarray(start, start + packed));
    let at = this.lastInLog[code] as number;
    for (let i = packed + logged - 1; i >= packed; i -= 1) {
      slots[i] = this.logSlots[at - 1] as number;
      if (frequencies !== undefined) frequencies[i] = this.logFrequencies[at - 1] as number;
      at = this.logPrevious[at - 1] as number;
    }
    return { slots, frequencies };
  }

  /** Packs a part of the log if that is worth its cost. Call after every few documents. */
  packWhenLarge(): void {
    const added = Math.max(0, this.logLength - this.seenLength);
    this.seenLength = this.logLength;
    const isLarge = this.logLength >= Math.max(MIN_LOG_TO_PACK, this.packedSlots.length >>> 2);
    if (isLarge || this.isPacking) this.packNext(MIN_STEP + STEP_PER_ADDED * added);
  }

  /** True while a part of the log is packed. */
  get isPacking(): boolean {
    return this.packing !== undefined;
  }

  /** Packs the log, so that lists are read contiguously. Costs about as much as reading all postings. */
  pack(): void {
    while (!this.packNext(Infinity));
  }

  store(output: IndexOutput): void {
    output.json({ packedCodes: this.packedCodes });
    output.array(this.packedStarts, this.packedStarts.length);
    output.array(this.packedSlots, this.packedSlots.length);
    output.array(this.packedFrequencies, this.packedFrequencies.length);
    output.array(this.logCodes, this.logLength);
    output.array(this.logSlots, this.logLength);
    // The last frequency may still increase.
    const counted = this.hasFrequencies ? this.logLength : 0;
    output.array(this.logFrequencies.slice(0, counted), counted);
  }

  restore(input: IndexInput): void {
    this.packedCodes = input.numbers('packedCodes').packedCodes;
    this.packedStarts = input.int32();
    this.packedSlots = input.int32();
    this.packedFrequencies = input.uint16();
    const [codes, slots, frequencies] = [input.int32(), input.int32(), input.uint16()];
    for (let i = 0; i < codes.length; i += 1) {
      this.add(codes[i] as number, slots[i] as number, frequencies[i] ?? 1);
    }
  }

  get byteLength(): number {
    return (
      this.packedSlots.byteLength +
      this.packedFrequencies.byteLength +
      this.packedStarts.byteLength +
      this.logSlots.byteLength * 3 +
      this.logFrequencies.byteLength +
      this.lastInLog.byteLength * 2 +
      (this.packing?.slots.byteLength ?? 0) * 2
    );
  }

  private packedCount(code: number): number {
    if (code >= this.packedCodes) return 0;
    return (this.packedStarts[code + 1] as number) - (this.packedStarts[code] as number);
  }

  /** As `pack`, for so many postings. @returns true if nothing is left to be packed */
  packNext(count = MIN_STEP): boolean {
    if (this.packing === undefined) {
      if (this.logLength === 0) return true;
      this.packing = this.beginPacking();
    }
    if (this.copy(this.packing, count)) this.endPacking(this.packing);
    return this.packing === undefined && this.logLength === 0;
  }

  private beginPacking(): Packing {
    const codeCount = Math.max(this.packedCodes, this.lastInLog.length);
    const starts = new Int32Array(codeCount + 1);
    for (let code = 0; code < codeCount; code += 1) {
      starts[code + 1] = (starts[code] as number) + this.count(code);
    }
    const total = starts[codeCount] as number;
    return {
      logLength: this.logLength,
      starts,
      slots: new Int32Array(total),
      frequencies: new Uint16Array(this.hasFrequencies ? total : 0),
      next: starts.slice(),
      code: 0,
      at: 0,
    };
  }

  /** @returns whether everything is copied */
  private copy(packing: Packing, count: number): boolean {
    const { slots, frequencies, next } = packing;
    let left = count;
    while (packing.code < this.packedCodes && left > 0) {
      const { code } = packing;
      const from = this.packedStarts[code] as number;
      const to = this.packedStarts[code + 1] as number;
      const place = next[code] as number;
      slots.set(this.packedSlots.subarray(from, to), place);
      if (this.hasFrequencies) frequencies.set(this.packedFrequencies.subarray(from, to), place);
      next[code] = place + to - from;
      left -= 1 + to - from;
      packing.code += 1;
    }
    const endAt = Math.min(packing.logLength, packing.at + Math.max(0, left));
    for (let { at } = packing; at < endAt; at += 1) {
      const code = this.logCodes[at] as number;
      const place = next[code] as number;
      slots[place] = this.logSlots[at] as number;
      if (this.hasFrequencies) frequencies[place] = this.logFrequencies[at] as number;
      next[code] = place + 1;
    }
    packing.at = endAt;
    return packing.code === this.packedCodes && endAt === packing.logLength;
  }

  private endPacking(packing: Packing): void {
    const codes = this.logCodes.slice(packing.logLength, this.logLength);
    const slots = this.logSlots.slice(packing.logLength, this.logLength);
    const frequencies = this.logFrequencies.slice(packing.logLength, this.logLength);
    this.packedStarts = packing.starts;
    this.packedSlots = packing.slots;
    this.packedFrequencies = packing.frequencies;
    this.packedCodes = packing.starts.length - 1;
    this.packing = undefined;
    this.clearLog();
    for (let i = 0; i < codes.length; i += 1) {
      this.add(codes[i] as number, slots[i] as number, frequencies[i] ?? 1);
    }
    this.seenLength = this.logLength;
  }

  private clearLog(): void {
    this.logLength = 0;
    this.logCodes = new Int32Array(0);
    this.logSlots = new Int32Array(0);
    this.logPrevious = new Int32Array(0);
    this.logFrequencies = new Uint16Array(0);
    this.lastInLog = new Int32Array(0);
    this.countInLog = new Int32Array(0);
  }
}
