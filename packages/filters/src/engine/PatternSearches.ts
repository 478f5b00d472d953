import type { Pattern } from '@millrace/language';
import { AutomatonMemory } from './AutomatonMemory.js';

/** Limit on the steps of the searches for one document, some 5 ns each. */
const MAX_STEPS = 40_000_000;

/**
 * Searches documents for the patterns of an engine. The patterns of one filter are bounded, those of all filters
 * together are not: the searches for one document share a step budget, so many hostile patterns can't block the event
 * loop for seconds.
 */
export class PatternSearches {
  readonly automata = new AutomatonMemory();
  /** True if patterns were skipped since `begin`; they count as not found. */
  isIncomplete = false;
  private left = MAX_STEPS;

  constructor(private readonly maxSteps = MAX_STEPS) {}

  /** To be called before a document, or a change of one, is tested. */
  begin(): void {
    this.left = this.maxSteps;
    this.isIncomplete = false;
  }

  /** True if the pattern is found. */
  search(pattern: Pattern, text: string): boolean {
    if (this.left <= 0) {
      this.isIncomplete = true;
      return false;
    }
    const isFound = pattern.matches(text);
    this.left -= pattern.followed;
    this.automata.note(pattern);
    return isFound;
  }
}

/** A pattern on one field, stored once however many filters use it, and searched once per document. */
export class SharedPattern {
  /** Number of filters that use it. */
  useCount = 0;
  private triedAt = 0;
  private isFound = false;

  constructor(
    readonly key: string,
    readonly pattern: Pattern,
    private readonly searches: PatternSearches,
  ) {}

  /** @param generation identifies the document under test; the field has one value in it */
  isFoundIn(text: string, generation: number): boolean {
    if (this.triedAt !== generation) {
      this.isFound = this.searches.search(this.pattern, text);
      this.triedAt = generation;
    }
    return this.isFound;
  }

  /** No filter uses it any more. */
  drop(): void {
    this.searches.automata.forget(this.pattern);
  }

  /** Forgets which document was last tested: generations restart. */
  forget(): void {
    this.triedAt = 0;
  }
}
