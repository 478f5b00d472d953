const TABLE_SIZE = 256;
const MAX_REMEMBERED = 4_096;

/**
 * Does one character match an element of a pattern? Asked of a native `RegExp` for that element alone, which can't
 * backtrack, so classes, case and Unicode properties are exactly ECMAScript's. Answers are remembered.
 */
export class CharacterTest {
  private readonly expression: RegExp;
  /** 0 unknown, 1 no, 2 yes. */
  private readonly table = new Uint8Array(TABLE_SIZE);
  private readonly others = new Map<number, boolean>();

  /** @param flags of `i`, `s`, `u` */
  constructor(source: string, flags: string) {
    this.expression = new RegExp(`^(?:${source})$`, flags);
  }

  /** @param code a code point under flag `u`, else a code unit */
  matches(code: number): boolean {
    if (code >= TABLE_SIZE) return this.matchesOther(code);
    const known = this.table[code];
    if (known !== 0) return known === 2;
    const answer = this.expression.test(String.fromCharCode(code));
    this.table[code] = answer ? 2 : 1;
    return answer;
  }

  private matchesOther(code: number): boolean {
    const known = this.others.get(code);
    if (known !== undefined) return known;
    const answer = this.expression.test(String.fromCodePoint(code));
    if (this.others.size >= MAX_REMEMBERED) this.others.clear();
    this.others.set(code, answer);
    return answer;
  }
}
