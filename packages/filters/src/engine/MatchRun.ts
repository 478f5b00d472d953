import type { JsonObject, JsonValue } from '@millrace/language';
import { readFieldValue } from '../readFieldValue.js';
import type { FieldIndex } from './FieldIndex.js';
import { ANY, ONCE, REST, SURE, type HandleTable } from './HandleTable.js';
import { IntegerList } from './IntegerList.js';
import type { MatchSink } from './MatchSink.js';
import type { PostingList } from './PostingList.js';
import type { RangedPostings } from './RangedPostings.js';
import { holds } from './holds.js';

const FIRST_CAPACITY = 64;
const MAX_GENERATION = 0x3fff_ffff;
const NO_DOCUMENT: JsonObject = {};

/**
 * One test of one document: the results so far, in buffers that all tests reuse. Marks in the columns carry the number
 * of the test (its *generation*), so nothing has to be cleared between two tests.
 */
export class MatchRun implements MatchSink {
  generation = 0;
  /** Found slots; only the first `count` are valid. */
  found = new Int32Array(FIRST_CAPACITY);
  count = 0;
  /** Receives negated conditions that do not hold. */
  readonly exclusions: Exclusions;
  /** Fields that a walk found in the document. */
  readonly walked: FieldIndex[] = [];
  private isWalked = false;
  private document = NO_DOCUMENT;
  private id: string | undefined;

  constructor(readonly table: HandleTable) {
    this.exclusions = new Exclusions(this);
  }

  /** @returns whether generations restart, so that all marks must be cleared */
  begin(document: JsonObject, id: string | undefined): boolean {
    this.document = document;
    this.id = id;
    this.count = 0;
    this.isWalked = false;
    this.generation++;
    if (this.generation < MAX_GENERATION) return false;
    this.generation = 1;
    return true;
  }

  /** Releases the document. */
  end(): void {
    this.document = NO_DOCUMENT;
    this.id = undefined;
    if (this.walked.length > 0) this.walked.length = 0;
  }

  /** A field's value; undefined if absent or null. */
  read(path: string): JsonValue | undefined {
    if (path === '_id' && this.id !== undefined) return this.id;
    // The walk has found all present fields.
    return this.isWalked ? undefined : readFieldValue(this.document, path);
  }

  /** The value of a key without dots that no object inherits. */
  readPlain(key: string): JsonValue | undefined {
    return this.isWalked ? undefined : (this.document[key] ?? undefined);
  }

  /** From here on, fields that the walk hasn't set are absent. */
  endWalk(): void {
    this.isWalked = true;
  }

  add(tag: number): void {
    let slot = ~tag;
    if (tag >= 0) {
      const { owner, remainder } = this.table;
      slot = owner[tag] as number;
      const rest = remainder[slot] as number;
      if (rest !== SURE && !this.isDecided(tag, slot, rest)) return;
    }
    if (this.count === this.found.length) this.reserve(1);
    this.found[this.count++] = slot;
  }

  addAll(list: PostingList): void {
    const { handles, ranged } = list;
    for (let i = 0; i < handles.length; i++) this.add(handles[i] as number);
    if (ranged === undefined) return;
    for (const postings of ranged) {
      const { field } = postings;
      const value = field.valueIn(this);
      if (typeof value === 'number') this.addWithin(value, postings);
      if (value !== undefined && field.more !== undefined) this.addWithinMore(field.more, postings);
    }
  }

  addAround(value: number, bounds: Float64Array, tags: Int32Array, count: number): void {
    this.reserve(count);
    let { found } = this;
    for (let i = 0; i < count; i++) {
      if (value < (bounds[2 * i] as number) || value > (bounds[2 * i + 1] as number)) continue;
      const tag = tags[i] as number;
      if (tag < 0) found[this.count++] = ~tag;
      else {
        this.add(tag);
        found = this.found;
      }
    }
  }

  /** Adds filters that need no further test. */
  addSlots(slots: Int32Array, count: number): void {
    this.reserve(count);
    this.found.set(count === slots.length ? slots : slots.subarray(0, count), this.count);
    this.count += count;
  }

  /** As `addSlots`, without excluded ones; `negativePosition` holds their positions. */
  addSlotsBut(slots: Int32Array, count: number): void {
    const start = this.count;
    this.addSlots(slots, count);
    const { found } = this;
    const { negativePosition } = this.table;
    const { items, length } = this.exclusions.handles;
    const places: number[] = [];
    for (let i = 0; i < length; i++) {
      const place = negativePosition[items[i] as number] as number;
      if (slots[place] === items[i] && place < count) places.push(place);
    }
    // Backwards, so that the last item, which fills the hole, is never one to remove.
    if (places.length > 1) places.sort((a, b) => b - a);
    for (const place of places) found[start + place] = found[--this.count] as number;
  }

  /** Takes out slots that were found more than once, by several values of a field. */
  keepFirstOfEach(): void {
    const { found, table, generation } = this;
    const mark = -generation;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = found[i] as number;
      // Exclusion marks are unused once the document is done.
      if (table.excludedAt[slot] === mark) continue;
      table.excludedAt[slot] = mark;
      found[kept++] = slot;
    }
    this.count = kept;
  }

  /** The filters whose range contains a value. */
  private addWithin(value: number, { tags, bounds, count }: RangedPostings): void {
    this.reserve(count);
    const { found } = this;
    for (let i = 0; i < count; i++) {
      if (value < (bounds[2 * i] as number) || value > (bounds[2 * i + 1] as number)) continue;
      const tag = tags[i] as number;
      const slot = tag < 0 ? ~tag : (this.table.owner[tag] as number);
      if (tag < 0 || this.isFirst(slot)) found[this.count++] = slot;
    }
  }

  private addWithinMore(more: readonly JsonValue[], postings: RangedPostings): void {
    for (const each of more) if (typeof each === 'number') this.addWithin(each, postings);
  }

  private isDecided(handle: number, slot: number, remainder: number): boolean {
    const { residual } = this.table;
    if (remainder === REST || remainder === ANY) {
      const test = residual[handle];
      if (test !== undefined && !holds(test, this)) return false;
      return remainder === REST || this.isFirst(slot);
    }
    if (!this.isFirst(slot)) return false;
    const test = residual[slot];
    return remainder === ONCE || test === undefined || holds(test, this);
  }

  /** True the first time the filter is met. */
  private isFirst(slot: number): boolean {
    const { triedAt } = this.table;
    if (triedAt[slot] === this.generation) return false;
    triedAt[slot] = this.generation;
    return true;
  }

  private reserve(more: number): void {
    if (this.count + more <= this.found.length) return;
    const wider = new Int32Array(2 * (this.count + more));
    wider.set(this.found.subarray(0, this.count));
    this.found = wider;
  }
}

/** Receives the conditions whose negations do not hold: their handles are marked and listed. */
class Exclusions implements MatchSink {
  /** The conditions of one field. */
  readonly handles = new IntegerList([]);

  constructor(private readonly run: MatchRun) {}

  begin(): void {
    this.handles.length = 0;
  }

  add(tag: number): void {
    const handle = tag < 0 ? ~tag : tag;
    const { generation, table } = this.run;
    // Another value of the field, or of the condition, has excluded it.
    if (table.excludedAt[handle] === generation) return;
    table.excludedAt[handle] = generation;
    this.handles.push(handle);
  }

  addAll({ handles }: PostingList): void {
    for (const handle of handles) this.add(handle);
  }

  addAround(value: number, bounds: Float64Array, tags: Int32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      if (value < (bounds[2 * i] as number) || value > (bounds[2 * i + 1] as number)) continue;
      this.add(tags[i] as number);
    }
  }
}
