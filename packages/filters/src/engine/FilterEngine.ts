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
 * 10 ns per candidate of the common shapes, some 50 ns for others, 5 ns per identifier returned. Per filter some 150 to 550
 * bytes, its identifier included. Registration is linear in the filter, but for sorting: less than 5 ms within the limits.
 *
 * Refused: counting satisfied conditions per filter (koncorde; 10,000 counters touched to find 10 matches), bitmaps per
 * condition (every document pays for all filters), code made of filters by `new Function` (faster by little where
 * candidates are few, and shut out by content security policies), moving filters to better paths later (nothing on
 * the bar needs it).
 */
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../FilterLimits.js';
import type { JsonObject } from '../Json.js';
import { computeRoomId } from '../normalize/computeRoomId.js';
import { normalizeFilter } from '../normalize/normalizeFilter.js';
import { parseFilter } from '../parse/parseFilter.js';
import { CollectionFilters } from './CollectionFilters.js';
import type { EngineSize } from './EngineSize.js';
import { estimateBytes } from './estimateBytes.js';
import { HandleTable } from './HandleTable.js';
import type { MatchChange } from './MatchChange.js';
import { MatchRun } from './MatchRun.js';
import { PatternSearches } from './PatternSearches.js';
import type { Registration } from './Registration.js';

/** Objects, texts and map entries of a filter beside its columns and postings, by experience. */
const BYTES_PER_FILTER = 220;

/**
 * Finds which of many filters match a document. Filters are told apart by index and collection. No timers, no I/O; of a
 * document the values last read stay until the next test.
 */
export class FilterEngine {
  private readonly table = new HandleTable();
  private readonly searches: PatternSearches;
  private readonly run = new MatchRun(this.table);
  private readonly slots = new Map<string, number>();
  private readonly collections = new Map<string, Map<string, CollectionFilters>>();
  private recent: CollectionFilters | undefined;

  /** @param maxSearchSteps that the searches for the patterns of all filters may follow per document, some 5 ns each */
  constructor(
    private readonly limits: FilterLimits = DEFAULT_FILTER_LIMITS,
    maxSearchSteps?: number,
  ) {
    this.searches = new PatternSearches(maxSearchSteps);
  }

  /**
   * Adds a filter. Equal filters of a collection (FILTER-40) share one identifier and are held once.
   * @param filter the JSON as sent
   * @throws FilterError if it is refused; nothing is held then
   */
  register(index: string, collection: string, filter: unknown): Registration {
    const parsed = parseFilter(filter, this.limits);
    const id = computeRoomId(index, collection, normalizeFilter(parsed, this.limits));
    if (this.slots.has(id)) return { id, created: false };
    this.slots.set(id, this.openCollection(index, collection).add(id, parsed));
    return { id, created: true, bytes: estimateBytes(parsed) };
  }

  /** Removes a filter. @returns false if there is none of this identifier */
  remove(id: string): boolean {
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
    this.searches.begin();
    const { found, count } = this.match(index, collection, document, id);
    const { ids } = this.table;
    if (count === 1) return [ids[found[0] as number] as string];
    const result = new Array<string>(count);
    for (let i = 0; i < count; i++) result[i] = ids[found[i] as number] as string;
    return result;
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
    this.searches.begin();
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
   * Did the last test, or test of a change, end its searches for patterns early? Patterns not searched for count as not
   * found, so matches may be missing, and extra ones may come from negated patterns.
   */
  get isIncomplete(): boolean {
    return this.searches.isIncomplete;
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
    return this.searches.automata.units;
  }

  private match(
    index: string,
    collection: string,
    document: JsonObject,
    id: string | undefined,
  ): MatchRun {
    const { run } = this;
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
      filters = new CollectionFilters(this.table, this.searches, index, collection);
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
