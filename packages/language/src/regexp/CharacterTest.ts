/**
 * Tests whether one character matches an element of a pattern. Results aren't cached: `CharacterClasses` tests each
 * character once.
 */
export interface CharacterTest {
  /** Cost of a test, in steps of an automaton. */
  readonly cost: number;
  /** Cost of preparing the test. */
  readonly preparation: number;
  /** @param code a code point under flag `u`, else a code unit */
  matches(code: number): boolean;
}

/** Letters that equal a character outside ASCII under the flags `iu` (U+212A, U+017F). */
export const FOLDED_FROM_AFAR = /[ks]/i;

/**
 * @param source of the element: a character, an escape or a class
 * @param flags some of `i`, `s`, `u`
 */
export function characterTest(source: string, flags: string): CharacterTest {
  const text = literalOf(source);
  const code = text?.codePointAt(0);
  if (text === undefined || code === undefined) {
    const isPlain = source.startsWith('[') && !source.includes('\\') && !flags.includes('i');
    return isPlain ? new RangesTest(source, flags.includes('u')) : new ElementTest(source, flags);
  }
  if (!flags.includes('i')) return new LiteralTest(code, code);
  const isFolded = flags.includes('u') && FOLDED_FROM_AFAR.test(text);
  if (code > 0x7f || isFolded) return new ElementTest(source, flags);
  // Outside ASCII no other character equals an ASCII character.
  return new LiteralTest(text.toLowerCase().charCodeAt(0), text.toUpperCase().charCodeAt(0));
}

/** The only character that an element matches, if that is obvious. */
export function literalOf(source: string): string | undefined {
  const isEscaped = source.length === 2 && source.startsWith('\\');
  // An escaped letter or digit is a class, a control character or a code.
  if (isEscaped && /[\dA-Za-z]/.test(source.charAt(1))) return undefined;
  const text = isEscaped ? source.slice(1) : source;
  if (text === '' || (text === '.' && !isEscaped)) return undefined;
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff) ? text : undefined;
}

class LiteralTest implements CharacterTest {
  readonly cost = 1;
  readonly preparation = 0;

  constructor(
    private readonly code: number,
    private readonly other: number,
  ) {}

  matches(code: number): boolean {
    return code === this.code || code === this.other;
  }
}

/** A class of characters and ranges without escapes, `[^a-z_]`. */
class RangesTest implements CharacterTest {
  readonly cost: number;
  readonly preparation = 0;
  private readonly isNegated: boolean;
  /** Alternating first and last character of the ranges. */
  private readonly bounds: readonly number[];

  constructor(source: string, isUnicode: boolean) {
    this.isNegated = source.startsWith('[^');
    const body = source.slice(this.isNegated ? 2 : 1, -1);
    const characters = isUnicode ? [...body] : body.split('');
    const codes = characters.map((character) => character.codePointAt(0) ?? 0);
    const bounds: number[] = [];
    for (let i = 0; i < codes.length; i++) {
      const first = codes[i] as number;
      const isRange = characters[i + 1] === '-' && i + 2 < codes.length;
      if (isRange) i += 2;
      bounds.push(first, codes[i] as number);
    }
    this.bounds = bounds;
    this.cost = 2 + bounds.length;
  }

  matches(code: number): boolean {
    const { bounds } = this;
    for (let i = 0; i < bounds.length; i += 2) {
      if (code >= (bounds[i] as number) && code <= (bounds[i + 1] as number)) return !this.isNegated;
    }
    return this.isNegated;
  }
}

/**
 * Applies a native `RegExp` to the element alone, which can't backtrack: classes, case and properties behave exactly as
 * in ECMAScript.
 */
class ElementTest implements CharacterTest {
  readonly cost = 100;
  /** The native engine compiles an expression at its first use. */
  readonly preparation = 10_000;
  private readonly expression: RegExp;

  constructor(source: string, flags: string) {
    this.expression = new RegExp(`^(?:${source})$`, flags);
  }

  matches(code: number): boolean {
    return this.expression.test(String.fromCodePoint(code));
  }
}
