import { Pattern } from './Pattern.js';
import { PatternFault } from './PatternNode.js';

/*
 * Translates Lucene's syntax (org.apache.lucene.util.automaton.RegExp) to ECMAScript's, by recursive descent:
 *   union: sequence ('|' union)?   sequence: repetition+   repetition: element ('?' | '*' | '+' | '{n}' | '{n,}' | '{n,m}')*
 * A character in a place where it has no meaning is a literal, as in Lucene. Complements, intersections and intervals are
 * refused.
 */

/** Options of an expression in Lucene's syntax. */
export interface LucenePatternOptions {
  /** `ALL` (also an empty string), `NONE` or names joined by `|`: EMPTY, ANYSTRING, COMPLEMENT, INTERVAL, INTERSECTION. */
  readonly flags: string;
  /** Only letters of ASCII, outside ranges of classes. */
  readonly caseInsensitive: boolean;
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['#', 'EMPTY'],
  ['@', 'ANYSTRING'],
  ['~', 'COMPLEMENT'],
  ['<', 'INTERVAL'],
  ['&', 'INTERSECTION'],
]);

const PREDEFINED: ReadonlyMap<string, string> = new Map([
  ['d', '0-9'],
  ['w', 'A-Za-z0-9_'],
  ['s', '\t\n\r '],
]);

/** @returns a pattern for the flags `su` that matches whole strings @throws PatternFault */
function translateLucene(pattern: string, options: LucenePatternOptions): string {
  return `^(?:${new LuceneTranslator([...pattern], options).translate()})$`;
}

class LuceneTranslator {
  private at = 0;
  private readonly flags: ReadonlySet<string>;

  constructor(
    private readonly characters: readonly string[],
    private readonly options: LucenePatternOptions,
  ) {
    const { flags } = options;
    this.flags = new Set(flags === 'ALL' || flags === '' ? OPERATORS.values() : flags.split('|'));
  }

  translate(): string {
    if (this.characters.length === 0) return '';
    const result = this.union();
    if (this.at < this.characters.length) throw this.fault(`unexpected "${this.peek() ?? ''}"`);
    return result;
  }

  private union(): string {
    let result = this.sequence();
    while (this.take('|')) result += `|${this.sequence()}`;
    return result;
  }

  private sequence(): string {
    let result = '';
    let next: string | undefined;
    do {
      result += this.repetition();
      next = this.peek();
    } while (next !== undefined && next !== '|' && next !== ')');
    return result;
  }

  private repetition(): string {
    let result = this.element();
    for (let count = 0; ; count += 1) {
      const bounds = this.bounds();
      if (bounds === undefined) return result;
      result = (count === 0 ? result : `(?:${result})`) + bounds;
    }
  }

  private bounds(): string | undefined {
    const next = this.peek();
    if (next !== '?' && next !== '*' && next !== '+' && next !== '{') return undefined;
    this.at += 1;
    if (next !== '{') return next;
    const min = this.integer();
    let max: number | undefined = min;
    if (this.take(',')) max = this.peek() === '}' ? undefined : this.integer();
    this.expect('}');
    if (max === undefined) return `{${min},}`;
    if (max < min) throw this.fault(`the repetition {${min},${max}} has its bounds in the wrong order`);
    return `{${min},${max}}`;
  }

  /** A part that a quantifier may follow. */
  private element(): string {
    const c = this.peek();
    if (c === undefined) throw this.fault('an expression is missing at the end');
    this.at += 1;
    switch (c) {
      case '.':
        return '.';
      case '(': {
        if (this.take(')')) return '(?:)';
        const inner = this.union();
        this.expect(')');
        return `(?:${inner})`;
      }
      case '[':
        return this.characterClass();
      case '"':
        return this.quoted();
      case '\\':
        return this.escaped();
    }
    const operator = OPERATORS.get(c);
    if (operator === undefined || !this.flags.has(operator)) return this.literal(c);
    if (operator === 'EMPTY') return '[]';
    if (operator === 'ANYSTRING') return '(?:.*)';
    throw this.fault(`the operator "${c}" (${operator}) is not supported: write "\\${c}" for the character`);
  }

  private escaped(): string {
    const c = this.next();
    const predefined = PREDEFINED.get(c.toLowerCase());
    if (predefined === undefined) return this.literal(c);
    return c === c.toLowerCase() ? `[${predefined}]` : `[^${predefined}]`;
  }

  private quoted(): string {
    let result = '';
    for (let c = this.next(); c !== '"'; c = this.next()) result += this.literal(c);
    return `(?:${result})`;
  }

  private characterClass(): string {
    let result = this.take('^') ? '[^' : '[';
    do {
      const isEscaped = this.peek() === '\\';
      const from = this.classCharacter();
      const predefined = isEscaped ? PREDEFINED.get(from) : undefined;
      if (predefined !== undefined) {
        result += predefined;
      } else if (this.peek() === '-' && this.characters[this.at + 1] !== ']') {
        this.at += 1;
        const to = this.classCharacter();
        if ((from.codePointAt(0) as number) > (to.codePointAt(0) as number))
          throw this.fault(`the range ${from}-${to} is in the wrong order`);
        result += `${inClass(from)}-${inClass(to)}`;
      } else {
        result += this.casesOf(from).map(inClass).join('');
      }
    } while (this.peek() !== ']' && this.peek() !== undefined);
    this.expect(']');
    return `${result}]`;
  }

  private classCharacter(): string {
    const c = this.next();
    return c === '\\' ? this.next() : c;
  }

  private literal(c: string): string {
    const cases = this.casesOf(c);
    return cases.length > 1 ? `[${cases.join('')}]` : c.replace(/[\^$\\.*+?()[\]{}|/]/, '\\$&');
  }

  private casesOf(c: string): readonly string[] {
    const isLetter = this.options.caseInsensitive && /^[a-zA-Z]$/.test(c);
    return isLetter ? [c.toUpperCase(), c.toLowerCase()] : [c];
  }

  private integer(): number {
    let digits = '';
    for (let c = this.peek(); c !== undefined && c >= '0' && c <= '9'; c = this.peek()) {
      digits += c;
      this.at += 1;
    }
    if (digits === '') throw this.fault('a number is missing');
    if (digits.length > 5) throw this.fault(`the number of repetitions ${digits} is too large`);
    return Number(digits);
  }

  private next(): string {
    const c = this.peek();
    if (c === undefined) throw this.fault('it ends too early');
    this.at += 1;
    return c;
  }

  private peek(): string | undefined {
    return this.characters[this.at];
  }

  private take(c: string): boolean {
    if (this.peek() !== c) return false;
    this.at += 1;
    return true;
  }

  private expect(c: string): void {
    if (!this.take(c)) throw this.fault(`"${c}" is missing`);
  }

  private fault(what: string): PatternFault {
    return new PatternFault(`${what} (character ${this.at + 1})`);
  }
}

function inClass(c: string): string {
  return c.replace(/[\]\\^-]/, '\\$&');
}

/** The limit of Elasticsearch 8. */
const MAX_STEPS = 10_000;

/**
 * Compiles a regular expression in Lucene's syntax to a test of whole strings, in time linear in their length.
 * @throws PatternFault for a syntax error, an operator that isn't supported, or more than 10,000 steps
 */
export function compileLucenePattern(pattern: string, options: LucenePatternOptions): (text: string) => boolean {
  const compiled = new Pattern(translateLucene(pattern, options), 'su');
  if (compiled.stepCount > MAX_STEPS)
    throw new PatternFault(`it has more than ${MAX_STEPS} steps, repetitions counted`);
  return (text) => compiled.matches(text);
}
