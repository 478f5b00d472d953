/*
 * Finds which of many queries match a document, in two stages. The filter engine finds candidates by a filter that
 * every match of the query fulfils (`boundsOf`); the executor of searches decides them (`matches`), on a document that
 * is indexed at the first undecided candidate. Terms, ranges, words and `bool` over these are decided by the first
 * stage alone, so that such queries cost as much as filters.
 */
import { FilterError, ValueFilters, type AddedFilter } from '@millrace/filters';
import { estimateQueryBytes, type BoundQuery, type CompiledMapping } from '@millrace/query';
import { documentScope, type DocumentScope } from '../documentScope.js';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { matches } from '../matches.js';
import { boundsOf, type QueryBounds } from './boundsOf.js';
import { LiveReader } from './LiveReader.js';

/** Beyond these a query is a candidate for every document. */
const LIMITS = {
  bytes: 1_048_576,
  depth: 200,
  conditions: 4_096,
  values: 1_024,
  polygonPoints: 0,
  patternLength: 0,
  patternSteps: 0,
};
const EVERY_DOCUMENT = {};
/** Entries, keys and columns in addition to conditions and objects, and a share of those of the collection; measured. */
const BYTES_PER_QUERY = 1_500;

/** A registered query. */
interface Entry {
  /** Its filter's number. */
  readonly number: number;
  /** Ordinals of the fields that its filter names. */
  readonly fields: readonly number[];
}

/** How many queries need the second stage. */
export interface LiveSize {
  readonly queries: number;
  readonly exact: number;
}

/** The queries on one collection. Keys are the caller's. */
export class LiveQueries {
  private readonly filters = new ValueFilters(LIMITS);
  private readonly entries = new Map<string, Entry>();
  /** By number. */
  private readonly keys: string[] = [];
  /** By number: queries that the second stage decides. */
  private readonly undecided: (BoundQuery | undefined)[] = [];
  /** By ordinal of a field: how many queries name it. */
  private readonly uses: number[] = [];
  /** Undefined: not up to date. */
  private reader: LiveReader | undefined;
  private exactCount = 0;

  /** @param mapping the queries are bound to it, and documents are read with it */
  constructor(private mapping: CompiledMapping) {}

  get size(): LiveSize {
    return { queries: this.entries.size, exact: this.exactCount };
  }

  /** @param mapping with additional fields; queries that name these must be added again, bound to it */
  setMapping(mapping: CompiledMapping): void {
    this.mapping = mapping;
    this.reader = undefined;
  }

  /**
   * Adds or replaces a query.
   * @param query decidable on one document, see `whyUndecidable`
   * @returns an estimate of its memory, in bytes
   */
  add(key: string, query: BoundQuery): number {
    this.remove(key);
    const { necessary, isExact, fields } = boundsOf(query);
    const { number, isKept, bytes } = this.register(necessary);
    const isDecided = isExact && isKept;
    this.keys[number] = key;
    this.undecided[number] = isDecided ? undefined : query;
    this.entries.set(key, { number, fields });
    for (const ordinal of fields) this.use(ordinal, 1);
    if (isDecided) this.exactCount += 1;
    return BYTES_PER_QUERY + bytes + (isDecided ? 0 : estimateQueryBytes(query));
  }

  /** @returns false if there is no such query */
  remove(key: string): boolean {
    const entry = this.entries.get(key);
    if (entry === undefined) return false;
    const { number, fields } = entry;
    this.entries.delete(key);
    this.filters.remove(number);
    if (this.undecided[number] === undefined) this.exactCount -= 1;
    this.undecided[number] = undefined;
    for (const ordinal of fields) this.use(ordinal, -1);
    return true;
  }

  /** The keys of the queries that match a document, each once, in no particular order. */
  test(document: IndexedDocument): string[] {
    if (this.entries.size === 0) return [];
    const { filters, keys, undecided } = this;
    this.reader ??= new LiveReader(this.mapping, (ordinal) => this.isUsed(ordinal), filters);
    filters.begin();
    this.reader.read(document);
    const { found, count } = filters.find();
    const matching = new Array<string>(count);
    let matchCount = 0;
    let scope: DocumentScope | undefined;
    const isDecided = this.exactCount === this.entries.size;
    for (let i = 0; i < count; i++) {
      const number = found[i] as number;
      const query = isDecided ? undefined : undecided[number];
      if (query !== undefined) {
        scope ??= documentScope(document, this.mapping);
        if (!matches(query, scope)) continue;
      }
      matching[matchCount++] = keys[number] as string;
    }
    filters.end();
    if (matchCount < count) matching.length = matchCount;
    return matching;
  }

  private isUsed(ordinal: number): boolean {
    return (this.uses[ordinal] ?? 0) > 0;
  }

  private use(ordinal: number, change: 1 | -1): void {
    const before = this.uses[ordinal] ?? 0;
    this.uses[ordinal] = before + change;
    if (before === 0 || before + change === 0) this.reader = undefined;
  }

  private register(necessary: QueryBounds['necessary']): AddedFilter & { isKept: boolean } {
    try {
      return { ...this.filters.add(necessary), isKept: true };
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      return { ...this.filters.add(EVERY_DOCUMENT), isKept: false };
    }
  }
}
