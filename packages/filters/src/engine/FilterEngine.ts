/*
 * The filter engine.
 *
 * Problem: a document changes, and of 100,000 subscription filters the ones that match it are wanted within
 * microseconds, while filters come and go by the thousand per second.
 *
 * Idea: each filter lies behind its cheapest condition, its *access path* (`chooseAccess`): a hash bucket for
 * `equals`, `in` and `ids`, cells for ranges and areas whose size fits the condition, three letters that a regular
 * expression can't match without. A disjunction has a path per part. The document's fields are read once, each probes
 * its index, and what comes back is a candidate: a match at once if the condition was the whole filter, else the
 * rest of its tree is tested, the cheap leaves first. Negated conditions that no other one accompanies are all taken
 * but those whose negation is found. So a document pays for the filters that it could match, and
 * the filters that it does not meet cost it nothing.
 *
 * Cost: per document one read and one probe per field in use (with many fields, one walk over the document instead), 2 to
 * 10 ns per candidate of the common shapes, some 50 ns for others, 5 ns per identifier given out. Per filter some 150 to 550
 * bytes, its identifier included. Registration is linear in the filter; only its identity needs the
 * disjunctive normal form, under that form's limits and budget.
 *
 * Refused: counting satisfied conditions per filter (koncorde; 10,000 counters touched to find 10 matches), bitmaps per
 * condition (every document pays for all filters), code made of filters by `new Function` (faster by little where
 * candidates are few, and shut out by content security policies), moving filters to better paths later (nothing on
 * the bar needs it).
 */
import type { Filter } from '../Filter.js';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../FilterLimits.js';
import type { JsonObject } from '../Json.js';
import { computeRoomId } from '../normalize/computeRoomId.js';
import { normalizeFilter, normalizeInSteps, type NormalFilter } from '../normalize/normalizeFilter.js'; // prettier-ignore
import { Pace } from '../Pace.js';
import { parseFilter, parseInSteps } from '../parse/parseFilter.js';
import { paced, takeAll, UNPACED, type Steps } from '../Steps.js';
import { CollectionFilters } from './CollectionFilters.js';
import type { EngineSize } from './EngineSize.js';
import { estimateBytes } from './estimateBytes.js';
import { HandleTable } from './HandleTable.js';
import type { MatchChange } from './MatchChange.js';
import { MatchRun } from './MatchRun.js';
import type { Registration } from './Registration.js';
import { SearchWatch } from './SearchWatch.js';

const LONG_KEY = 65_536;

interface ReadFilter {
  readonly parsed: Filter;
  readonly normal: NormalFilter;
}

function* readInSteps(filter: unknown, limits: FilterLimits, pace: Pace): Steps<ReadFilter> {
  const parsed = yield* parseInSteps(filter, limits, pace);
  return { parsed, normal: yield* normalizeInSteps(parsed, limits, pace) };
}

/** Objects, texts and map entries of a filter beside its columns and postings, by experience. */
const BYTES_PER_FILTER = 220;

/**
 * Finds which of many filters match a document. Filters are told apart by index and collection. Not reentrant while
 * `matchEach` visits. No timers, no I/O; of a document the values last read stay until the next test.
 */
export class FilterEngine {
  private readonly table = new HandleTable();
  private readonly watch = new SearchWatch();
  private readonly run = new MatchRun(this.table);
  private readonly slots = new Map<string, number>();
  private readonly collections = new Map<string, Map<string, CollectionFilters>>();
  private recent: CollectionFilters | undefined;
  /** A filter that is being taken in: whatever asks or changes something takes it in to its end first. */
  private opened: Steps<void> | undefined;
  /** Filters that `registerInSteps` has not given an answer for, and nobody else has asked for. */
  private readonly beingTaken = new Set<string>();

  constructor(private readonly limits: FilterLimits = DEFAULT_FILTER_LIMITS) {}

  /**
   * Takes a filter in. Equal filters of a collection (section 8) share one identifier and are held once.
   * @param filter the JSON as sent
   * @throws FilterError where it is refused; nothing is held then
   */
  register(index: string, collection: string, filter: unknown): Registration {
    const parsed = parseFilter(filter, this.limits);
    const id = computeRoomId(index, collection, normalizeFilter(parsed, this.limits));
    if (this.shares(id)) return { id, created: false };
    const bytes = estimateBytes(parsed);
    const left = this.take(index, collection, parsed, { id, pace: UNPACED });
    if (left !== undefined) takeAll(left);
    return { id, created: true, bytes };
  }

  /**
   * As `register`, in steps of about `stepMs` each, for callers that must not hold the event loop: call `next` until it
   * is done, other work in between. The filter counts from the last step on; left before that (`return`), it leaves nothing
   * behind. A document that comes while its conditions are put in their places takes them there to the end: some
   * hundred microseconds to a millisecond.
   * @throws FilterError in one of the steps
   */
  *registerInSteps(
    index: string,
    collection: string,
    filter: unknown,
    stepMs: number,
  ): Steps<Registration> {
    const { parsed, normal } = yield* paced(stepMs, (pace) => readInSteps(filter, this.limits, pace)); // prettier-ignore
    // Hashing a key of half a million characters takes a step of its own.
    if (normal.key.length > LONG_KEY) yield;
    const id = computeRoomId(index, collection, normal);
    if (this.shares(id)) return { id, created: false };
    const bytes = estimateBytes(parsed);
    const pace = new Pace(stepMs);
    const left = this.take(index, collection, parsed, { id, pace });
    if (left === undefined) return { id, created: true, bytes };
    this.opened = left;
    this.beingTaken.add(id);
    let isTaken = false;
    try {
      for (pace.begin(); left.next().done !== true; pace.begin()) yield;
      isTaken = true;
      return { id, created: true, bytes };
    } finally {
      this.settle();
      // Unless somebody has found it there meanwhile.
      if (this.beingTaken.delete(id) && !isTaken) this.remove(id);
    }
  }

  /** Lets a filter go. @returns false where there is none of this identifier */
  remove(id: string): boolean {
    this.settle();
    const slot = this.slots.get(id);
    const filters = slot === undefined ? undefined : this.table.collection[slot];
    if (slot === undefined || filters === undefined) return false;
    this.slots.delete(id);
    filters.remove(slot);
    if (filters.count === 0) this.closeCollection(filters);
    return true;
  }

  /**
   * The filters that match, in no particular order, each once.
   * @param id of a stored document; without it, `_id` is the document's own key (published messages)
   */
  test(index: string, collection: string, document: JsonObject, id?: string): string[] {
    const { found, count } = this.match(index, collection, document, id);
    const { ids } = this.table;
    if (count === 1) return [ids[found[0] as number] as string];
    const result = new Array<string>(count);
    for (let i = 0; i < count; i++) result[i] = ids[found[i] as number] as string;
    return result;
  }

  /**
   * As `test`, and calls `visit` with a small number per filter instead of making a list: `idOf` gives its identifier,
   * and it stays the filter's own until it is removed. `visit` must not call the engine but for `idOf`.
   */
  matchEach(
    index: string,
    collection: string,
    document: JsonObject,
    visit: (slot: number) => void,
    id?: string,
  ): void {
    const { found, count } = this.match(index, collection, document, id);
    for (let i = 0; i < count; i++) visit(found[i] as number);
  }

  /** The identifier of a number that `matchEach` gave; empty where the filter is gone. */
  idOf(slot: number): string {
    return this.table.ids[slot] ?? '';
  }

  /** The number that `matchEach` gives for a filter; undefined where there is none. */
  slotOf(id: string): number | undefined {
    return this.slots.get(id);
  }

  /**
   * Which filters a stored document enters, stays in and leaves by a change.
   * @param before undefined where there was none
   * @param after undefined where it was deleted
   */
  testChange(
    index: string,
    collection: string,
    before: JsonObject | undefined,
    after: JsonObject | undefined,
    id?: string,
  ): MatchChange {
    const change = { entered: [] as string[], stayed: [] as string[], left: [] as string[] };
    const { ids } = this.table;
    const old = before === undefined ? [] : this.slotsOf(index, collection, before, id);
    if (after === undefined) {
      for (const slot of old) change.left.push(ids[slot] as string);
      return change;
    }
    const { found, count, generation } = this.match(index, collection, after, id);
    // Marks of exclusion are free once the document is done; slots found carry them.
    const { excludedAt } = this.table;
    const mark = -generation;
    for (const slot of old) excludedAt[slot] = mark;
    for (let i = 0; i < count; i++) {
      const slot = found[i] as number;
      const list = excludedAt[slot] === mark ? change.stayed : change.entered;
      list.push(ids[slot] as string);
      excludedAt[slot] = 0;
    }
    for (const slot of old) if (excludedAt[slot] === mark) change.left.push(ids[slot] as string);
    return change;
  }

  /**
   * As `test`, in steps of about `stepMs`, or of one search: for documents in whose texts many large patterns are
   * searched. Filters that come or go between two steps count as they are at the last one.
   */
  testInSteps(
    index: string,
    collection: string,
    document: JsonObject,
    id: string | undefined,
    stepMs: number,
  ): Steps<string[]> {
    return this.inSteps(stepMs, () => this.test(index, collection, document, id));
  }

  /** As `testChange`, in steps: see `testInSteps`. */
  testChangeInSteps(
    index: string,
    collection: string,
    change: {
      readonly before: JsonObject | undefined;
      readonly after: JsonObject | undefined;
      readonly id?: string;
    },
    stepMs: number,
  ): Steps<MatchChange> {
    const { before, after, id } = change;
    return this.inSteps(stepMs, () => this.testChange(index, collection, before, after, id));
  }

  /** The normal form and the identifier that a filter would have (section 8). @throws FilterError */
  normalize(
    index: string,
    collection: string,
    filter: unknown,
  ): { readonly id: string; readonly normal: NormalFilter } {
    const normal = normalizeFilter(parseFilter(filter, this.limits), this.limits);
    return { id: computeRoomId(index, collection, normal), normal };
  }

  /** Would the filter be accepted? @throws FilterError with the reason why not */
  validate(filter: unknown): void {
    normalizeFilter(parseFilter(filter, this.limits), this.limits);
  }

  /** Is there a filter of this identifier? */
  has(id: string): boolean {
    return this.slots.has(id);
  }

  /** Filters of a collection. */
  count(index: string, collection: string): number {
    return this.collections.get(index)?.get(collection)?.count ?? 0;
  }

  /** Counts, and an estimate of the memory held; goes over all of it. */
  measure(): EngineSize {
    let [collectionCount, fieldCount, approximateBytes] = [0, 0, this.table.byteCount];
    for (const collections of this.collections.values()) {
      for (const filters of collections.values()) {
        collectionCount++;
        fieldCount += filters.fieldCount;
        approximateBytes += filters.byteCount;
      }
    }
    approximateBytes += this.slots.size * BYTES_PER_FILTER;
    return { filterCount: this.slots.size, collectionCount, fieldCount, approximateBytes };
  }

  /** What the automata of patterns remember, in units of some 12 bytes. */
  get automatonUnits(): number {
    return this.watch.automata.units;
  }

  /** Whether the filter is there already: then whoever asks holds it too. */
  private shares(id: string): boolean {
    this.settle();
    if (this.beingTaken.size > 0) this.beingTaken.delete(id);
    return this.slots.has(id);
  }

  private take(
    index: string,
    collection: string,
    parsed: Filter,
    { id, pace }: { readonly id: string; readonly pace: Pace },
  ): Steps<void> | undefined {
    const filters = this.openCollection(index, collection);
    const slot = filters.open(id);
    this.slots.set(id, slot);
    return filters.add(parsed, slot, pace);
  }

  private *inSteps<T extends object>(stepMs: number, test: () => T): Steps<T> {
    const { watch } = this;
    try {
      for (;;) {
        const found = watch.attempt(stepMs, test);
        if (found !== undefined) return found;
        yield;
      }
    } finally {
      watch.forget();
    }
  }

  private settle(): void {
    const { opened } = this;
    if (opened === undefined) return;
    this.opened = undefined;
    takeAll(opened);
  }

  private match(
    index: string,
    collection: string,
    document: JsonObject,
    id: string | undefined,
  ): MatchRun {
    const { run } = this;
    if (this.opened !== undefined) this.settle();
    if (run.begin(document, id)) this.forgetGenerations();
    const filters = this.findCollection(index, collection);
    try {
      filters?.collect(document, id, run);
    } finally {
      run.end();
    }
    return run;
  }

  /** Documents come in runs of one collection: the last one is at hand. */
  private findCollection(index: string, collection: string): CollectionFilters | undefined {
    const { recent } = this;
    if (recent?.collection === collection && recent.index === index) return recent;
    return (this.recent = this.collections.get(index)?.get(collection));
  }

  private slotsOf(
    index: string,
    collection: string,
    document: JsonObject,
    id: string | undefined,
  ): Int32Array {
    const { found, count } = this.match(index, collection, document, id);
    return found.slice(0, count);
  }

  private forgetGenerations(): void {
    this.table.forgetGenerations();
    for (const collections of this.collections.values()) {
      for (const filters of collections.values()) filters.forgetGenerations();
    }
  }

  private openCollection(index: string, collection: string): CollectionFilters {
    let collections = this.collections.get(index);
    if (collections === undefined) {
      collections = new Map<string, CollectionFilters>();
      this.collections.set(index, collections);
    }
    let filters = collections.get(collection);
    if (filters === undefined) {
      filters = new CollectionFilters(this.table, this.watch, index, collection);
      collections.set(collection, filters);
    }
    return filters;
  }

  private closeCollection({ index, collection }: CollectionFilters): void {
    this.recent = undefined;
    const collections = this.collections.get(index);
    collections?.delete(collection);
    if (collections?.size === 0) this.collections.delete(index);
  }
}
