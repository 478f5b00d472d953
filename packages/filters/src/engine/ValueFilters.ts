import type { JsonValue } from '@millrace/language';
import type { FilterLimits } from '../FilterLimits.js';
import { parseFilter } from '../parse/parseFilter.js';
import { CollectionFilters } from './CollectionFilters.js';
import { estimateSharedBytes } from './estimateBytes.js';
import { HandleTable } from './HandleTable.js';
import { MatchRun } from './MatchRun.js';
import { PatternSearches } from './PatternSearches.js';

const NO_DOCUMENT = {};

/** A filter that was added. */
export interface AddedFilter {
  /** Those of removed filters are used again. */
  readonly number: number;
  /** Estimate of its memory. */
  readonly bytes: number;
}

/** Numbers of filters, each once, in no particular order. */
export interface FoundFilters {
  /** Only the first `count` are valid. */
  readonly found: Int32Array;
  readonly count: number;
}

/**
 * Finds which of many filters match the values that the caller reads from a document. A field can have several values: a
 * condition holds if one of them fulfils it, and each condition may be fulfilled by another one.
 *
 * For a document call `begin`, `put` with each value, `find` and, once its result has been read, `end`.
 */
export class ValueFilters {
  private readonly table = new HandleTable();
  private readonly run = new MatchRun(this.table);
  private readonly filters: CollectionFilters;
  private hasSeveral = false;

  constructor(private readonly limits: FilterLimits) {
    this.filters = new CollectionFilters(this.table, new PatternSearches(), '', '', true);
  }

  /**
   * Adds a filter; equal ones are kept apart.
   * @throws FilterError if it is refused
   */
  add(filter: unknown): AddedFilter {
    const parsed = parseFilter(filter, this.limits);
    return { number: this.filters.add('', parsed), bytes: estimateSharedBytes(parsed) };
  }

  remove(number: number): void {
    this.filters.remove(number);
  }

  begin(): void {
    const { run } = this;
    this.hasSeveral = false;
    run.end();
    if (!run.begin(NO_DOCUMENT, undefined)) return;
    this.table.forgetGenerations();
    this.filters.forgetGenerations();
  }

  /** Adds a value of a field. @param value not null; an empty object: the field has a value that can't be compared */
  put(path: string, value: JsonValue): void {
    if (!this.filters.put(path, value, this.run)) this.hasSeveral = true;
  }

  /** The matching filters, valid until `end`. */
  find(): FoundFilters {
    const { run } = this;
    run.endWalk();
    this.filters.collectPut(run);
    if (this.hasSeveral) run.keepFirstOfEach();
    return run;
  }

  /** Releases the values of the document. */
  end(): void {
    for (const field of this.run.walked) field.dropValues();
    this.run.end();
  }
}
