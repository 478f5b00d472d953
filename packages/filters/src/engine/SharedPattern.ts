import type { Pattern } from '../regexp/Pattern.js';

/** A pattern on one field, kept once however many filters use it, and tried once per document. */
export class SharedPattern {
  /** Filters that use it. */
  useCount = 0;
  private triedAt = 0;
  private isFound = false;

  constructor(
    readonly key: string,
    readonly pattern: Pattern,
  ) {}

  /** @param generation names the document under test; the field has one value in it */
  isFoundIn(text: string, generation: number): boolean {
    if (this.triedAt !== generation) {
      this.isFound = this.pattern.matches(text);
      this.triedAt = generation;
    }
    return this.isFound;
  }

  /** Forgets which document was tried last: generations begin anew. */
  forget(): void {
    this.triedAt = 0;
  }
}
