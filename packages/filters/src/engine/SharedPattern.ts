import type { Pattern } from '@millrace/language';
import type { PatternSearches } from './PatternSearches.js';

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
