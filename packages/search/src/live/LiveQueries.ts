/*
 * Finds which of many queries match a document, in two stages. The filter engine finds candidates by a filter that
 * every match of the query fulfils (`boundsOf`); the executor of searches decides them (`matches`), on a document that
 * is indexed at the first undecided candidate. Terms, ranges, words and `bool` over these are decided by the first
 * stage alone, so that such queries cost as much as filters.
 */
import { FilterEngine, FilterError } from '@millrace/filters';
import { narrowMapping, type BoundQuery, type CompiledMapping } from '@millrace/query';
import { documentScope, type DocumentScope } from '../documentScope.js';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { matches } from '../matches.js';
import { boundsOf, type QueryBounds } from './boundsOf.js';
import { LiveDocument } from './LiveDocument.js';

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
const PLACE = '';

/** A registered query. */
interface Entry {
  readonly key: string;
  readonly query: BoundQuery;
  readonly isExact: boolean;
  /** Ordinals of the fields that its filter names. */
  readonly fields: readonly number[];
  /** See `QueryBounds`. */
  readonly singles: readonly number[];
  readonly filterId: string;
}

/** How many queries need the second stage. */
export interface LiveSize {
  readonly queries: number;
  readonly exact: number;
}

/** The queries on one collection. Keys are the caller's. */
export class LiveQueries {
  private readonly engine = new FilterEngine(LIMITS);
  private readonly entries = new Map<string, Entry>();
  /** By filter: queries with the same necessary filter. */
  private readonly byFilter = new Map<string, Set<Entry>>();
  /** By ordinal of a field: how many queries name it. */
  private readonly uses: number[] = [];
  /** By ordinal of a field: the queries that compare its number or point. */
  private readonly bySingle = new Map<number, Set<Entry>>();
  /** The mapping of the named fields; undefined: not up to date. */
  private narrow: CompiledMapping | undefined;
  private exactCount = 0;

  /** @param mapping the queries are bound to it, and documents are read with it */
  constructor(private mapping: CompiledMapping) {}

  get size(): LiveSize {
    return { queries: this.entries.size, exact: this.exactCount };
  }

  /** @param mapping with additional fields; queries that name these must be added again, bound to it */
  setMapping(mapping: CompiledMapping): void {
    this.mapping = mapping;
    this.narrow = undefined;
  }

  /** Adds or replaces a query. @param query decidable on one document, see `whyUndecidable` */
  add(key: string, query: BoundQuery): void {
    this.remove(key);
    const { necessary, isExact, fields, singles } = boundsOf(query);
    const { filterId, isKept } = this.register(necessary);
    const entry = { key, query, isExact: isExact && isKept, fields, singles, filterId };
    this.entries.set(key, entry);
    addTo(this.byFilter, filterId, entry);
    for (const ordinal of singles) addTo(this.bySingle, ordinal, entry);
    for (const ordinal of fields) this.use(ordinal, 1);
    if (entry.isExact) this.exactCount += 1;
  }

  /** @returns false if there is no such query */
  remove(key: string): boolean {
    const entry = this.entries.get(key);
    if (entry === undefined) return false;
    this.entries.delete(key);
    if (removeFrom(this.byFilter, entry.filterId, entry)) this.engine.remove(entry.filterId);
    for (const ordinal of entry.singles) removeFrom(this.bySingle, ordinal, entry);
    for (const ordinal of entry.fields) this.use(ordinal, -1);
    if (entry.isExact) this.exactCount -= 1;
    return true;
  }

  /** The keys of the queries that match a document, each once, in no particular order. */
  test(document: IndexedDocument): string[] {
    if (this.entries.size === 0) return [];
    const isUsed = (ordinal: number) => (this.uses[ordinal] ?? 0) > 0;
    this.narrow ??= narrowMapping(this.mapping, isUsed);
    const live = new LiveDocument(document, this.narrow, isUsed);
    const found: string[] = [];
    let scope: DocumentScope | undefined;
    const decide = ({ key, query }: Entry) => {
      scope ??= documentScope(document, this.mapping);
      if (matches(query, scope)) found.push(key);
    };
    const undecided = this.comparing(live.several);
    for (const filterId of this.engine.test(PLACE, PLACE, live.tested, document.id)) {
      for (const entry of this.byFilter.get(filterId) ?? []) {
        if (undecided?.has(entry) === true) continue;
        if (entry.isExact) found.push(entry.key);
        else decide(entry);
      }
    }
    for (const entry of undecided ?? []) decide(entry);
    return found;
  }

  /** The queries for which the first stage can't test a document: they compare a field that has several numbers. */
  private comparing(several: ReadonlySet<number> | undefined): Set<Entry> | undefined {
    if (several === undefined) return undefined;
    const all = new Set<Entry>();
    for (const ordinal of several) {
      for (const entry of this.bySingle.get(ordinal) ?? []) all.add(entry);
    }
    return all;
  }

  private use(ordinal: number, change: 1 | -1): void {
    const before = this.uses[ordinal] ?? 0;
    this.uses[ordinal] = before + change;
    if (before === 0 || before + change === 0) this.narrow = undefined;
  }

  private register(necessary: QueryBounds['necessary']): { filterId: string; isKept: boolean } {
    try {
      return { filterId: this.engine.register(PLACE, PLACE, necessary).id, isKept: true };
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      return { filterId: this.engine.register(PLACE, PLACE, EVERY_DOCUMENT).id, isKept: false };
    }
  }
}

function addTo<K>(sets: Map<K, Set<Entry>>, key: K, entry: Entry): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([entry]));
  else set.add(entry);
}

/** @returns true if it was the last one */
function removeFrom<K>(sets: Map<K, Set<Entry>>, key: K, entry: Entry): boolean {
  const set = sets.get(key);
  set?.delete(entry);
  return set?.size === 0 && sets.delete(key);
}
