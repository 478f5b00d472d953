/** Choices that are the same for the same seed (mulberry32). */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** From 0 to 1, without 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** The text with up to four pieces cut out and put in. */
  mutate(text: string, spices: readonly string[]): string {
    let mutated = text;
    for (let count = 1 + this.below(4); count > 0; count--) {
      const at = this.below(mutated.length + 1);
      mutated = mutated.slice(0, at) + this.pick(spices) + mutated.slice(at + this.below(4));
    }
    return mutated;
  }

  /** The bytes with up to four of them changed, and sometimes cut short. */
  damage(bytes: Buffer): Buffer {
    const damaged = Buffer.from(bytes);
    for (let count = this.below(5); count > 0; count--) {
      damaged[this.below(damaged.length)] = this.below(256);
    }
    return this.below(4) === 0 ? damaged.subarray(0, this.below(damaged.length)) : damaged;
  }
}
