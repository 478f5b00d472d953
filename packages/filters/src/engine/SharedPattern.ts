import type { Pattern } from '../regexp/Pattern.js';
import { WATCHED_FROM, type SearchWatch } from './SearchWatch.js';

/** A pattern on one field, kept once however many filters use it, and tried once per document. */
export class SharedPattern {
  /** Filters that use it. */
  useCount = 0;
  /** What a test that is tried again has found, by text. */
  known: Map<string, boolean> | undefined;
  private triedAt = 0;
  private isFound = false;

  constructor(
    readonly key: string,
    readonly pattern: Pattern,
    private readonly watch: SearchWatch,
  ) {}

  /** @param generation names the document under test; the field has one value in it */
  isFoundIn(text: string, generation: number): boolean {
    if (this.triedAt !== generation) {
      this.isFound = text.length < WATCHED_FROM ? this.pattern.matches(text) : this.watch.search(this, text); // prettier-ignore
      this.triedAt = generation;
      this.watch.automata.note(this.pattern);
    }
    return this.isFound;
  }

  /** No filter uses it any more. */
  drop(): void {
    this.watch.automata.forget(this.pattern);
  }

  /** Forgets which document was tried last: generations begin again. */
  forget(): void {
    this.triedAt = 0;
  }
}
