/** Random choices from a seed (mulberry32): the same seed gives the same choices on every machine. */
export class Chance {
  private state: number;

  /** @param seeds integers; each list of them starts a separate sequence */
  constructor(...seeds: readonly number[]) {
    this.state = seeds.reduce((state, seed) => Math.imul(state ^ seed, 0x9e3779b1) ^ (state >>> 15), 0x51ed27);
    this.below(2);
  }

  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True in so many of a hundred cases. */
  percent(percent: number): boolean {
    return this.below(100) < percent;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** So many times what `make` gives. */
  list<T>(count: number, make: (position: number) => T): T[] {
    return Array.from({ length: count }, (_, position) => make(position));
  }

  /** Some of the values, in their order. */
  some<T>(values: readonly T[], percent: number): T[] {
    return values.filter(() => this.percent(percent));
  }

  /** The entries of each key that wins its chance: `{key: [percent, value maker]}`. */
  options<T>(entries: Readonly<Record<string, readonly [percent: number, make: () => T]>>): Record<string, T> {
    const chosen = Object.entries(entries).filter(([, [percent]]) => this.percent(percent));
    return Object.fromEntries(chosen.map(([key, [, make]]) => [key, make()]));
  }
}
