import type { Pattern } from '@millrace/language';

/** About 12 bytes each: 64 MiB. */
const MAX_UNITS = 5_000_000;

/**
 * Bounds the memory of the automata of all patterns of an engine (up to some hundred KiB each, a thousand times the
 * length of the pattern). Past the bound, the automata that were first searched are discarded. A discarded automaton is
 * rebuilt at its next search; the result of a search doesn't depend on remembered states.
 */
export class AutomatonMemory {
  /** Units by pattern, in order of their first search. */
  private readonly sizes = new Map<Pattern, number>();
  private total = 0;

  constructor(private readonly maxUnits = MAX_UNITS) {}

  get units(): number {
    return this.total;
  }

  /** To be called after a search. */
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

  /** The pattern is no longer searched. */
  forget(pattern: Pattern): void {
    this.total -= this.sizes.get(pattern) ?? 0;
    this.sizes.delete(pattern);
    pattern.forget();
  }
}
