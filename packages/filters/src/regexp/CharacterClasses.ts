import type { CharacterTest } from './CharacterTest.js';

const TABLE_SIZE = 256;
const MAX_REMEMBERED = 4_096;

/** Characters that no test of a pattern tells apart. */
export interface CharacterClass {
  readonly number: number;
  /** By test: does it match these characters? */
  readonly accepts: Uint8Array;
  readonly isWord: boolean;
  readonly isLineEnd: boolean;
}

/** Sorts characters into classes, so that an automaton has a way per class and not per character. */
export class CharacterClasses {
  private readonly bySignature = new Map<string, CharacterClass>();
  private readonly table: (CharacterClass | undefined)[] = new Array<undefined>(TABLE_SIZE);
  private readonly others = new Map<number, CharacterClass>();

  constructor(
    private readonly tests: readonly CharacterTest[],
    private readonly word: CharacterTest,
  ) {}

  /** @param code a code point under flag `u`, else a code unit */
  of(code: number): CharacterClass {
    const known = code < TABLE_SIZE ? this.table[code] : this.others.get(code);
    if (known !== undefined) return known;
    const found = this.classify(code);
    if (code < TABLE_SIZE) this.table[code] = found;
    else {
      if (this.others.size >= MAX_REMEMBERED) this.others.clear();
      this.others.set(code, found);
    }
    return found;
  }

  private classify(code: number): CharacterClass {
    const accepts = Uint8Array.from(this.tests, (test) => (test.matches(code) ? 1 : 0));
    const isWord = this.word.matches(code);
    const isLineEnd = code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
    const signature = `${accepts.join('')}${isWord ? 'w' : ''}${isLineEnd ? 'l' : ''}`;
    let found = this.bySignature.get(signature);
    if (found === undefined) {
      found = { number: this.bySignature.size, accepts, isWord, isLineEnd };
      this.bySignature.set(signature, found);
    }
    return found;
  }
}
