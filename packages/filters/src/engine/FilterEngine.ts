/*
 * The filter engine.
 *
 * Problem: when a document changes, find the matching ones of 100,000 subscription filters within microseconds, while
 * thousands of filters per second are added and removed.
 *
 * Idea: each filter is indexed under its cheapest condition, its *access path* (`chooseAccess`): a hash bucket for
 * `equals`, `in` and `ids`, cells for ranges and areas whose size fits the condition, three letters that every match of
 * a regular expression contains. A disjunction has a path per part. The document's fields are read once, each probes
 * its index, and the results are candidates: a candidate matches at once if the condition was the whole filter, else
 * the rest of its tree is tested, cheap leaves first. Negated conditions that aren't combined with another access
 * condition all count as found, except those whose negation is found. So a document pays for the filters that it could
 * match; all others cost nothing.
 *
 * Cost: per document one read and one probe per field in use (with many fields, one walk over the document instead), 2
 * to 10 ns per candidate of the common shapes, some 50 ns for others, 5 ns per returned identifier. Per filter some 150
 * to 550 bytes, including its identifier. Registration is linear in the filter, except for sorting: less than 5 ms
 * within the limits.
 *
 * Refused: counting satisfied conditions per filter (koncorde; 10,000 counters touched to find 10 matches), bitmaps per
 * condition (every document pays for all filters), generating code from filters by `new Function` (little gain with few
 * candidates, and blocked by content security policies), moving filters to better paths later (not needed to meet the
 * performance targets).
 */
import type { JsonObject } from '@millrace/language';
import type { Filter } from '../Filter.js';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../FilterLimits.js';
import { computeRoomId } from '../normalize/computeRoomId.js';
import { normalizeFilter } from '../normalize/normalizeFilter.js';
import { parseFilter } from '../parse/parseFilter.js';
import { CollectionFilters } from './CollectionFilters.js';
import { HandleTable } from './HandleTable.js';
import { MatchRun } from './MatchRun.js';
import type { MatchChange } from './MatchSink.js';
import { PatternSearches } from './PatternSearches.js';
import { estimateBytes } from './estimateBytes.js';

/** Size of an engine's content. */
export interface EngineSize {
  readonly filterCount: number;
  readonly collectionCount: number;
  /** Fields that filters name, over all collections. */
  readonly fieldCount: number;
  /** An estimate within about a third: columns are exact, maps and objects count at their usual size. */
  readonly approximateBytes: number;
}

/** Result of `register`. */
export interface Registration {
  /** 32 hexadecimal digits: the id of the room (FILTER-40). */
  readonly id: string;
  /** False if an equal filter was registered: registrations are not counted. */
  readonly created: boolean;
  /** An estimate of its memory (`estimateBytes`); absent if it was registered before. */
  readonly bytes?: number;
  /** Whether it contains a pattern, so that its matches may be unknown (`FilterEngine.isIncomplete`); absent as `bytes`. */
  readonly hasPatterns?: boolean;
}

/** Objects, strings and map entries of a filter in addition to its columns and postings; an empirical value. */
const BYTES_PER_FILTER = 220;

/**
 * Finds which of many filters match a document. Filters are separated by index and collection. No timers, no I/O. The
 * values last read from a document are retained until the next test.
 */
export class FilterEngine {
  private readonly table = new HandleTable();
  private readonly searches: PatternSearches;
  private readonly run = new MatchRun(this.table);
  private readonly slots = new Map<string, number>();
  private readonly collections = new Map<string, Map<string, CollectionFilters>>();
  private recent: CollectionFilters | undefined;

  /**
   * @param maxSearchSteps limit per document of the steps that searches for patterns of all filters take, some 5 ns
   * each
   */
  constructor(
    private readonly limits: FilterLimits = DEFAULT_FILTER_LIMITS,
    maxSearchSteps?: number,
  ) {
    this.searches = new PatternSearches(maxSearchSteps);
  }

  /**
   * Adds a filter. Equal filters of a collection (FILTER-40) share one identifier and are stored once.
   * @param filter the JSON as sent
   * @throws FilterError if it is refused; nothing is stored then
   */
  register(index: string, collection: string, filter: unknown): Registration {
    const parsed = parseFilter(filter, this.limits);
    const id = computeRoomId(index, collection, normalizeFilter(parsed, this.limits));
    if (this.slots.has(id)) return { id, created: false };
    this.slots.set(id, this.openCollection(index, collection).add(id, parsed));
    return {
      id,
      created: true,
      bytes: estimateBytes(parsed),
      hasPatterns: hasPatterns(parsed),
    };
  }

  /** Removes a filter. @returns false if no filter has this identifier */
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
   * Returns the matching filters, each once, in no particular order.
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
   * Returns the filters that a stored document enters, stays in and leaves by a change.
   * @param before undefined if the document was created
   * @param after undefined if the document was deleted
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
    // Exclusion marks are unused once the document is done; they mark the found slots here.
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
   * True if the last test, or test of a change, ended its pattern searches early. Patterns that weren't searched count
   * as not found, so matches of the filters with patterns may be missing, and negated patterns may add false ones.
   */
  get isIncomplete(): boolean {
    return this.searches.isIncomplete;
  }

  /** Counts the content and estimates its memory; visits all of it. */
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

  /** Memory of the patterns' automata, in units of some 12 bytes. */
  get automatonUnits(): number {
    return this.searches.automata.units;
  }

  private match(index: string, collection: string, document: JsonObject, id: string | undefined): MatchRun {
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

  /** Consecutive documents are mostly of one collection, so the last one is cached. */
  private findCollection(index: string, collection: string): CollectionFilters | undefined {
    const { recent } = this;
    if (recent?.collection === collection && recent.index === index) return recent;
    return (this.recent = this.collections.get(index)?.get(collection));
  }

  private slotsOf(index: string, collection: string, document: JsonObject, id: string | undefined): Int32Array {
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

/** Whether a filter contains a pattern. */
function hasPatterns(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.some(hasPatterns);
    case 'not':
      return hasPatterns(filter.operand);
    default:
      return filter.kind === 'regexp';
  }
}
