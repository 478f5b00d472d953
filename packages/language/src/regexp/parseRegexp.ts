import type { CharacterRanges, RegexpAutomaton, RegexpNode } from './RegexpAutomaton.js';

/*
 * Lucene's syntax (org.apache.lucene.util.automaton.RegExp), by recursive descent:
 *   union: intersection ('|' union)?   intersection: sequence ('&' intersection)?   sequence: repetition+
 *   repetition: complement ('?' | '*' | '+' | '{n}' | '{n,}' | '{n,m}')*   complement: '~' complement | class
 * There are no anchors: an expression matches whole terms.
 */

const MAX_CODE_POINT = 0x10ffff;
const ANY_CHARACTER: CharacterRanges = [0, MAX_CODE_POINT];

const PREDEFINED: ReadonlyMap<string, CharacterRanges> = new Map([
  ['d', [48, 57]],
  ['w', [48, 57, 65, 90, 95, 95, 97, 122]],
  ['s', [9, 10, 13, 13, 32, 32]],
]);

/** Parser options. */
export interface ParseRegexpOptions {
  /** The enabled optional operators. */
  readonly operators: ReadonlySet<string>;
  readonly caseInsensitive: boolean;
}

/** @throws SyntaxError */
export function parseRegexp(
  pattern: string,
  options: ParseRegexpOptions,
  automaton: RegexpAutomaton,
): RegexpNode {
  return new RegexpParser([...pattern], options, automaton).parse();
}

class RegexpParser {
  private at = 0;

  constructor(
    private readonly characters: readonly string[],
    private readonly options: ParseRegexpOptions,
    private readonly automaton: RegexpAutomaton,
  ) {}

  parse(): RegexpNode {
    if (this.characters.length === 0) return this.automaton.empty;
    const node = this.union();
    if (this.at < this.characters.length) throw this.fault(`unexpected "${this.peek() ?? ''}"`);
    return node;
  }

  private union(): RegexpNode {
    const nodes = [this.intersection()];
    while (this.take('|')) nodes.push(this.intersection());
    return this.automaton.any(nodes);
  }

  private intersection(): RegexpNode {
    const nodes = [this.sequence()];
    while (this.options.operators.has('&') && this.take('&')) nodes.push(this.sequence());
    return this.automaton.all(nodes);
  }

  private sequence(): RegexpNode {
    const nodes: RegexpNode[] = [];
    let next: string | undefined;
    do {
      nodes.push(this.repetition());
      next = this.peek();
    } while (next !== undefined && next !== '|' && next !== ')' && !this.isAnd(next));
    return nodes.reduceRight((rest, node) => this.automaton.sequence(node, rest));
  }

  private isAnd(c: string): boolean {
    return c === '&' && this.options.operators.has('&');
  }

  private repetition(): RegexpNode {
    let node = this.complement();
    for (;;) {
      if (this.take('?')) node = this.automaton.repeat(node, 0, 1);
      else if (this.take('*')) node = this.automaton.repeat(node, 0, Infinity);
      else if (this.take('+')) node = this.automaton.repeat(node, 1, Infinity);
      else if (this.take('{')) node = this.counted(node);
      else return node;
    }
  }

  private counted(node: RegexpNode): RegexpNode {
    const min = this.integer();
    let max = min;
    if (this.take(',')) max = this.peek() === '}' ? Infinity : this.integer();
    this.expect('}');
    if (max < min)
      throw this.fault(`the repetition {${min},${max}} has its bounds in the wrong order`);
    return this.automaton.repeat(node, min, max);
  }

  private complement(): RegexpNode {
    if (this.options.operators.has('~') && this.take('~'))
      return this.automaton.not(this.complement());
    return this.simple();
  }

  private simple(): RegexpNode {
    const { automaton, options } = this;
    const c = this.peek();
    if (c === undefined) throw this.fault('an expression is missing at the end');
    this.at += 1;
    switch (c) {
      case '.':
        return automaton.characters(ANY_CHARACTER);
      case '(': {
        if (this.take(')')) return this.automaton.empty;
        const node = this.union();
        this.expect(')');
        return node;
      }
      case '[':
        return this.characterClass();
      case '"':
        return this.quoted();
      case '#':
        return options.operators.has('#') ? automaton.nothing : this.literal(c);
      case '@':
        return options.operators.has('@')
          ? automaton.repeat(automaton.characters(ANY_CHARACTER), 0, Infinity)
          : this.literal(c);
      case '<':
        return options.operators.has('<') ? this.interval() : this.literal(c);
      case '\\':
        return this.escaped();
      // Also syntax characters: Lucene treats them as literals if nothing precedes them.
      default:
        return this.literal(c);
    }
  }

  private escaped(): RegexpNode {
    const c = this.next();
    const predefined = PREDEFINED.get(c.toLowerCase());
    if (predefined === undefined) return this.literal(c);
    const isNegated = c !== c.toLowerCase();
    return this.automaton.characters(isNegated ? complementOf(predefined) : predefined);
  }

  private quoted(): RegexpNode {
    const nodes: RegexpNode[] = [];
    for (let c = this.next(); c !== '"'; c = this.next()) nodes.push(this.literal(c));
    return nodes.reduceRight(
      (rest, node) => this.automaton.sequence(node, rest),
      this.automaton.empty,
    );
  }

  private characterClass(): RegexpNode {
    const isNegated = this.take('^');
    const ranges: number[] = [];
    do {
      const isEscaped = this.peek() === '\\';
      const from = this.classCharacter();
      const predefined = isEscaped ? PREDEFINED.get(from) : undefined;
      if (predefined !== undefined) {
        ranges.push(...predefined);
      } else if (this.peek() === '-' && this.characters[this.at + 1] !== ']') {
        this.at += 1;
        const to = this.classCharacter();
        const [low, high] = [from.codePointAt(0) as number, to.codePointAt(0) as number];
        if (low > high) throw this.fault(`the range ${from}-${to} is in the wrong order`);
        ranges.push(low, high);
      } else {
        ranges.push(...this.casesOf(from));
      }
    } while (this.peek() !== ']' && this.peek() !== undefined);
    this.expect(']');
    return this.automaton.characters(isNegated ? complementOf(ranges) : ranges);
  }

  private classCharacter(): string {
    const c = this.next();
    return c === '\\' ? this.next() : c;
  }

  /**
   * `<n-m>`: decimal numbers, with as many digits as both bounds; if these differ in length, with any number of leading
   * zeros.
   */
  private interval(): RegexpNode {
    const from = this.digits();
    this.expect('-');
    const to = this.digits();
    this.expect('>');
    const [low, high] = [Number(from), Number(to)].sort((a, b) => a - b) as [number, number];
    if (high - low > 10_000) throw this.fault(`the interval <${from}-${to}> is wider than 10,000`);
    const width = from.length === to.length ? from.length : 0;
    const numbers = Array.from({ length: high - low + 1 }, (_, i) =>
      String(low + i).padStart(width, '0'),
    );
    const any = this.automaton.any(numbers.map((number) => this.word(number)));
    if (width > 0) return any;
    const zeros = this.automaton.repeat(this.literal('0'), 0, Infinity);
    return this.automaton.sequence(zeros, any);
  }

  private word(text: string): RegexpNode {
    return [...text].reduceRight(
      (rest, c) => this.automaton.sequence(this.literal(c), rest),
      this.automaton.empty,
    );
  }

  private literal(c: string): RegexpNode {
    return this.automaton.characters(this.casesOf(c));
  }

  private casesOf(c: string): number[] {
    const code = c.codePointAt(0) as number;
    const isLetter = this.options.caseInsensitive && /^[a-zA-Z]$/.test(c);
    return isLetter ? [code & ~32, code & ~32, code | 32, code | 32] : [code, code];
  }

  private integer(): number {
    const digits = this.digits();
    if (digits.length > 5) throw this.fault(`the number of repetitions ${digits} is too large`);
    return Number(digits);
  }

  private digits(): string {
    let digits = '';
    for (let c = this.peek(); c !== undefined && c >= '0' && c <= '9'; c = this.peek()) {
      digits += c;
      this.at += 1;
    }
    if (digits === '') throw this.fault('a number is missing');
    return digits;
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

  private fault(what: string): SyntaxError {
    return new SyntaxError(`${what} (character ${this.at + 1})`);
  }
}

function complementOf(ranges: CharacterRanges): number[] {
  const pairs: [number, number][] = [];
  for (let i = 0; i < ranges.length; i += 2)
    pairs.push([ranges[i] as number, ranges[i + 1] as number]);
  pairs.sort((a, b) => a[0] - b[0]);
  const result: number[] = [];
  let from = 0;
  for (const [low, high] of pairs) {
    if (low > from) result.push(from, low - 1);
    from = Math.max(from, high + 1);
  }
  if (from <= MAX_CODE_POINT) result.push(from, MAX_CODE_POINT);
  return result;
}
