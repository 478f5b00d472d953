import type { Pattern } from '../regexp/Pattern.js';
import { AutomatonMemory } from './AutomatonMemory.js';

/** Steps that the searches for one document may follow, some 5 ns each. */
const MAX_STEPS = 40_000_000;

/**
 * Searches documents for the patterns of an engine. The patterns of one filter are bounded, not those of all filters: so
 * that many hostile ones can't hold the event loop for seconds, the searches for one document share a number of steps.
 */
export class PatternSearches {
  readonly automata = new AutomatonMemory();
  /** Are there patterns that were not searched for since `begin`? They count as not found. */
  isIncomplete = false;
  private left = MAX_STEPS;

  constructor(private readonly maxSteps = MAX_STEPS) {}

  /** A document is tested, or a change of one. */
  begin(): void {
    this.left = this.maxSteps;
    this.isIncomplete = false;
  }

  /** Is the pattern found? */
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
