import type { Pattern } from '../regexp/Pattern.js';

/** About 12 bytes each: 64 MiB. */
const MAX_UNITS = 5_000_000;

/**
 * Bounds what the automata of all patterns of an engine remember (up to some hundred KiB each, a thousand times the text of
 * their pattern): past the bound, those used first are forgotten. An automaton that was forgotten is made again at its next
 * search; what it finds doesn't depend on what it remembers.
 */
export class AutomatonMemory {
  /** Units by pattern, in order of their first search. */
  private readonly sizes = new Map<Pattern, number>();
  private total = 0;

  constructor(private readonly maxUnits = MAX_UNITS) {}

  get units(): number {
    return this.total;
  }

  /** After a search. */
  note(pattern: Pattern): void {
    const size = pattern.remembered;
    const known = this.sizes.get(pattern);
    if (size === (known ?? 0)) return;
    this.sizes.set(pattern, size);
    this.total += size - (known ?? 0);
    for (const oldest of this.sizes.keys()) {
      if (this.total <= this.maxUnits) break;
      this.forget(oldest);
    }
  }

  /** The pattern is not searched any more. */
  forget(pattern: Pattern): void {
    this.total -= this.sizes.get(pattern) ?? 0;
    this.sizes.delete(pattern);
    pattern.forget();
  }
}
