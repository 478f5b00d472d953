import type { CharacterTest } from './CharacterTest.js';

const TABLE_SIZE = 256;
const MAX_REMEMBERED = 16_384;
/** Cost of a character seen for the first time, in addition to its tests. */
const MISS_COST = 50;

/** A class of characters that no test of a pattern distinguishes. */
export interface CharacterClass {
  readonly number: number;
  /** By test: whether it matches these characters. */
  readonly accepts: Uint8Array;
  readonly isWord: boolean;
  readonly isLineEnd: boolean;
}

/** Sorts characters into classes, so that an automaton has one transition per class instead of per character. */
export class CharacterClasses {
  /** Cost of classifying characters outside the table since `forget`, in steps of an automaton. */
  spent = 0;
  private readonly bySignature = new Map<string, CharacterClass>();
  private readonly table: (CharacterClass | undefined)[] = new Array<undefined>(TABLE_SIZE);
  private readonly others = new Map<number, CharacterClass>();
  private readonly costPerCharacter: number;

  constructor(
    private readonly tests: readonly CharacterTest[],
    /** The test for letters, if the pattern has word boundaries. */
    private readonly word: CharacterTest | undefined,
  ) {
    this.costPerCharacter = tests.reduce((sum, { cost }) => sum + cost, MISS_COST + (word?.cost ?? 0));
  }

  /** Memory used, in units of some 12 bytes. */
  get size(): number {
    return TABLE_SIZE + this.others.size * 4 + this.bySignature.size * (8 + this.tests.length);
  }

  /** @param code a code point under flag `u`, else a code unit */
  of(code: number): CharacterClass {
    const known = code < TABLE_SIZE ? this.table[code] : this.others.get(code);
    if (known !== undefined) return known;
    const found = this.classify(code);
    if (code < TABLE_SIZE) this.table[code] = found;
    else {
      this.spent += this.costPerCharacter;
      if (this.others.size >= MAX_REMEMBERED) this.others.clear();
      this.others.set(code, found);
    }
    return found;
  }

  /** Discards the characters outside the table, so that the cost of a search depends on its input only. */
  forget(): void {
    this.spent = 0;
    if (this.others.size > 0) this.others.clear();
  }

  private classify(code: number): CharacterClass {
    const { tests } = this;
    const matching: number[] = [];
    for (let i = 0; i < tests.length; i++) {
      if ((tests[i] as CharacterTest).matches(code)) matching.push(i);
    }
    const isWord = this.word?.matches(code) === true;
    const isLineEnd = code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
    const signature = `${matching.join()}${isWord ? 'w' : ''}${isLineEnd ? 'l' : ''}`;
    let found = this.bySignature.get(signature);
    if (found === undefined) {
      const accepts = new Uint8Array(tests.length);
      for (const test of matching) accepts[test] = 1;
      found = { number: this.bySignature.size, accepts, isWord, isLineEnd };
      this.bySignature.set(signature, found);
    }
    return found;
  }
}
