/*
 * The classic Lucene syntax of `query_string`, by recursive descent over the text itself. Depth of brackets and number
 * of leaves are bounded. Operators follow Lucene's rules, which are no Boolean precedence: AND makes both neighbours
 * required, OR changes nothing by itself (`assembleClauses`). Neighbouring bare words are one text, so that they are
 * analysed together.
 */
import { present } from '../present.js';
import { LuceneFault } from './LuceneFault.js';
import type { Conjunction, LuceneClause, LuceneNode, LucenePart } from './LuceneNode.js';

const MAX_DEPTH = 30;
const MAX_LEAVES = 1024;
const QUOTED_BOUND = /"(?:\\"|[^"])+"/y;
const PLAIN_BOUND = /[^\s\]}]+/y;
/** A sign with a blank behind it is a word. */
const BARE_SIGN = /[+\-!][ \t\n\r\u3000]/y;
/** What ends a word: a sign within is a part of it. */
const WORD_END = /[\s!():^[\]"{}~/]/;
const OPERATOR_AHEAD = new RegExp(`^(AND|OR|NOT|&&|\\|\\|)(?=$|${WORD_END.source})`);
const CONJUNCTION_AHEAD = new RegExp(`^\\s+(AND|OR|&&|\\|\\|)(?=$|${WORD_END.source})`);
const SPECIAL = /[\s+\-!():^[\]"{}~*?\\/]/;

export interface LuceneOptions {
  /** Whether a field is meant where none is named: without one `>=5` is a text like any other. */
  readonly hasDefaultField: boolean;
}

/** @throws LuceneFault */
export function parseLucene(text: string, options: LuceneOptions): LuceneNode {
  return new LuceneReader(text, options).read();
}

class LuceneReader {
  private position = 0;
  private leafCount = 0;

  constructor(
    private readonly text: string,
    private readonly options: LuceneOptions,
  ) {}

  /** A text of nothing finds nothing; brackets around nothing are a mistake. */
  read(): LuceneNode {
    this.skipSpace();
    if (this.position >= this.text.length) return { kind: 'empty' };
    const node = this.readClauses(undefined, 0);
    if (this.position < this.text.length) throw this.fault('unexpected character');
    return node;
  }

  private readClauses(field: string | undefined, depth: number): LuceneClause {
    if (depth > MAX_DEPTH) throw this.fault(`brackets nested deeper than ${MAX_DEPTH}`);
    const parts: LucenePart[] = [];
    for (;;) {
      this.skipSpace();
      if (this.position >= this.text.length || this.peek() === ')') break;
      const conjunction = this.takeConjunction();
      if (conjunction !== undefined && parts.length === 0)
        throw this.fault(`"${conjunction}" without a clause before it`);
      const modifier = this.takeModifier();
      this.skipSpace();
      if (this.position >= this.text.length || this.peek() === ')')
        throw this.fault('a clause is missing');
      const isBare = modifier === undefined && conjunction === undefined;
      const node = this.readClause(field, depth, isBare);
      parts.push({ ...present({ conjunction, modifier }), node });
    }
    const [first, second] = parts;
    if (first === undefined) throw this.fault('a clause is missing');
    if (second === undefined && first.modifier === undefined) return first.node;
    return { kind: 'group', parts, boost: 1 };
  }

  private takeConjunction(): Conjunction | undefined {
    if (this.takeWord('AND') || this.takeWord('&&')) return this.afterOperator('AND');
    if (this.takeWord('OR') || this.takeWord('||')) return this.afterOperator('OR');
    return undefined;
  }

  private afterOperator<Word>(word: Word): Word {
    this.skipSpace();
    return word;
  }

  private takeModifier(): 'NOT' | '+' | undefined {
    if (this.isAtBareSign()) return undefined;
    if (this.takeWord('NOT') || this.take('!') || this.take('-')) return 'NOT';
    return this.take('+') ? '+' : undefined;
  }

  private readClause(
    outerField: string | undefined,
    depth: number,
    mayJoin: boolean,
  ): LuceneClause {
    const field = this.takeField() ?? outerField;
    const isOwnField = field !== outerField;
    this.skipSpace();
    if (this.take('(')) {
      const inner = this.readClauses(field, depth + 1);
      if (!this.take(')')) throw this.fault('a closing bracket is missing');
      return withBoost(inner, this.takeBoost() ?? 1);
    }
    if (field === '_exists_') return this.readExists();
    this.countLeaf();
    const node = this.readLeaf(field, mayJoin && !isOwnField);
    return node;
  }

  private countLeaf(): void {
    this.leafCount += 1;
    if (this.leafCount > MAX_LEAVES) throw this.fault(`more than ${MAX_LEAVES} clauses`);
  }

  private readExists(): LuceneClause {
    const isQuoted = this.peek() === '"';
    const name = isQuoted ? this.readQuoted('"') : this.readWord().pattern;
    if (name === '') throw this.fault('_exists_ names no field');
    return { kind: 'exists', field: unescape(name), boost: this.takeBoost() ?? 1 };
  }

  private readLeaf(field: string | undefined, mayJoin: boolean): LuceneClause {
    const base = field === undefined ? {} : { field };
    switch (this.peek()) {
      case '"': {
        const text = this.readQuoted('"');
        const { tilde, boost } = this.takeSuffixes(true);
        const slopOption = typeof tilde === 'number' ? { slop: Math.floor(tilde) } : {};
        return { kind: 'phrase', text: unescape(text), ...slopOption, ...base, boost };
      }
      case '/':
        return {
          kind: 'regexp',
          pattern: this.readQuoted('/').replaceAll('\\/', '/'),
          ...base,
          boost: this.takeSuffixes().boost,
        };
      case '[':
      case '{':
        return { ...this.readRange(), ...base, boost: this.takeBoost() ?? 1 };
      default:
        return this.readTerm(field, mayJoin);
    }
  }

  private isAtBareSign(): boolean {
    BARE_SIGN.lastIndex = this.position;
    return BARE_SIGN.test(this.text);
  }

  private readTerm(field: string | undefined, mayJoin: boolean): LuceneClause {
    const base = field === undefined ? {} : { field };
    const isSign = this.isAtBareSign();
    const word = isSign ? { pattern: this.peek(), hasWildcard: false } : this.readWord();
    if (isSign) this.position += 1;
    if (word.pattern === '') throw this.fault('unexpected character');
    if (/^(AND|OR|NOT|&&|\|\|)$/.test(word.pattern))
      throw this.fault(`"${word.pattern}" where a clause is expected`);
    const { tilde, boost } = this.takeSuffixes();
    if (word.hasWildcard) return { ...wildcardNode(word.pattern, field), boost };
    if (tilde !== undefined) {
      const fuzziness = this.fuzzinessOf(tilde);
      return { kind: 'term', text: unescape(word.pattern), fuzziness, ...base, boost };
    }
    const first = unescape(word.pattern);
    const text =
      boost !== 1 || !mayJoin || isSign ? first : [first, ...this.takeFollowingWords()].join(' ');
    const hasField = field !== undefined || this.options.hasDefaultField;
    const range = hasField ? readComparison(text) : undefined;
    return { ...(range ?? { kind: 'term', text }), ...base, boost };
  }

  /** Bare words that follow without operator, field or suffix. */
  private takeFollowingWords(): readonly string[] {
    const words: string[] = [];
    for (;;) {
      const start = this.position;
      this.skipSpace();
      const isWord = start < this.position && this.isAtPlainWord();
      const word = isWord ? this.readWord() : undefined;
      const next = this.peek();
      if (
        word === undefined ||
        word.pattern === '' ||
        word.hasWildcard ||
        next === ':' ||
        this.isBeforeSuffix() ||
        this.isBeforeConjunction()
      ) {
        this.position = start;
        return words;
      }
      words.push(unescape(word.pattern));
    }
  }

  private isBeforeSuffix(): boolean {
    return /^\s*[~^]/.test(this.text.slice(this.position, this.position + 40));
  }

  private isAtPlainWord(): boolean {
    return (
      (this.peek() === '\\' || !SPECIAL.test(this.peek())) &&
      !OPERATOR_AHEAD.test(this.text.slice(this.position, this.position + 4))
    );
  }

  /** A word before AND or OR stands alone: the operator is about it, not about the words before. */
  private isBeforeConjunction(): boolean {
    return CONJUNCTION_AHEAD.test(this.text.slice(this.position, this.position + 40));
  }

  private readWord(): { readonly pattern: string; readonly hasWildcard: boolean } {
    const start = this.position;
    let hasWildcard = false;
    while (this.position < this.text.length) {
      const character = this.peek();
      if (character === '\\') {
        if (this.position + 1 >= this.text.length)
          throw this.fault('nothing follows the backslash');
        this.position += 2;
        continue;
      }
      if (character === '*' || character === '?') hasWildcard = true;
      else if (SPECIAL.test(character)) {
        const isInner = this.position > start && (character === '-' || character === '+');
        if (!isInner) break;
      }
      this.position += 1;
    }
    return { pattern: this.text.slice(start, this.position), hasWildcard };
  }

  /** The name before a colon, unless there is none. Stars and question marks are escaped in it, but for `*` alone. */
  private takeField(): string | undefined {
    const match = /^(\*|(?:[^\s+\-!():^[\]"{}~*?\\/]|(?<=\S)[-+]|\\.)+)\s*:/.exec(
      this.text.slice(this.position, this.position + 600),
    );
    if (match === null) return undefined;
    this.position += match[0].length;
    return unescape(match[1] ?? '');
  }

  private readQuoted(quote: '"' | '/'): string {
    this.position += 1;
    const start = this.position;
    while (this.position < this.text.length && this.peek() !== quote) {
      this.position += this.peek() === '\\' ? 2 : 1;
    }
    if (this.position >= this.text.length) throw this.fault(`a closing ${quote} is missing`);
    const inner = this.text.slice(start, this.position);
    this.position += 1;
    return inner;
  }

  private readRange(): { readonly kind: 'range' } & RangeEnds {
    const includesLower = this.peek() === '[';
    this.position += 1;
    const lower = this.readBound();
    this.skipSpace();
    if (!this.takeWord('TO')) throw this.fault('a range needs TO');
    const upper = this.readBound();
    this.skipSpace();
    const end = this.peek();
    if (end !== ']' && end !== '}') throw this.fault('a range is not closed');
    this.position += 1;
    return {
      kind: 'range',
      ...(lower === '*' ? {} : { lower: { value: unescape(lower), inclusive: includesLower } }),
      ...(upper === '*' ? {} : { upper: { value: unescape(upper), inclusive: end === ']' } }),
    };
  }

  /** In quotes, or up to the next blank or bracket, whichever is longer: `""` is two quotes. */
  private readBound(): string {
    this.skipSpace();
    const quoted = this.match(QUOTED_BOUND);
    const plain = this.match(PLAIN_BOUND);
    const isQuoted = quoted !== '' && quoted.length >= plain.length;
    const bound = isQuoted ? quoted : plain;
    if (bound === '') throw this.fault('a bound is missing');
    this.position += bound.length;
    return isQuoted ? bound.slice(1, -1) : bound;
  }

  /** What a sticky expression finds here; '' for nothing. */
  private match(form: RegExp): string {
    form.lastIndex = this.position;
    return form.exec(this.text)?.[0] ?? '';
  }

  /** `~` and `^` behind a clause, in either order, and after blanks as well. */
  private takeSuffixes(isPhrase = false): {
    readonly tilde: number | 'bare' | undefined;
    readonly boost: number;
  } {
    const first = this.takeBoost();
    const tilde = this.takeTilde(isPhrase);
    return { tilde, boost: first ?? this.takeBoost() ?? 1 };
  }

  private takeTilde(isPhrase: boolean): number | 'bare' | undefined {
    if (!this.takeSign('~')) return undefined;
    const letters = isPhrase ? this.plainCharacters() : '';
    if (/[^\d.]/.test(letters)) {
      // Lucene takes what stands there for the slop, and passes over what is no number.
      this.position += letters.length;
      return 'bare';
    }
    const match = /^\d{1,6}(\.\d{1,6})?|^auto(?=$|[\s)^])/i.exec(
      this.text.slice(this.position, this.position + 14),
    );
    if (match === null) return 'bare';
    this.position += match[0].length;
    return /^a/i.test(match[0]) ? 'bare' : Number(match[0]);
  }

  private fuzzinessOf(tilde: number | 'bare'): 'default' | 0 | 1 | 2 {
    // What stands right behind belongs to the fuzziness, which has to be a number.
    const rest = this.plainCharacters();
    if (rest !== '') throw this.fault(`fuzziness cannot end in "${rest.slice(0, 20)}"`);
    if (tilde === 'bare') return 'default';
    if (tilde === 0 || tilde === 1 || tilde === 2) return tilde;
    throw this.fault(`fuzziness is 0, 1 or 2, not ${tilde}`);
  }

  private plainCharacters(): string {
    let end = this.position;
    while (end < this.text.length && !SPECIAL.test(this.text[end] ?? '')) end += 1;
    return this.text.slice(this.position, end);
  }

  private takeBoost(): number | undefined {
    if (!this.takeSign('^')) return undefined;
    const match = /^\d{1,9}(\.\d{1,9})?/.exec(this.text.slice(this.position, this.position + 20));
    if (match === null) throw this.fault('^ needs a number');
    this.position += match[0].length;
    return Number(match[0]);
  }

  private takeSign(sign: '~' | '^'): boolean {
    const start = this.position;
    this.skipSpace();
    if (this.take(sign)) return true;
    this.position = start;
    return false;
  }

  private take(token: string): boolean {
    if (!this.text.startsWith(token, this.position)) return false;
    this.position += token.length;
    return true;
  }

  /** An operator in capitals or `TO`, where it is a word of its own. */
  private takeWord(word: string): boolean {
    if (!this.text.startsWith(word, this.position)) return false;
    const next = this.text[this.position + word.length];
    if (next !== undefined && !WORD_END.test(next)) return false;
    this.position += word.length;
    return true;
  }

  private skipSpace(): void {
    while (this.position < this.text.length && /\s/.test(this.peek())) this.position += 1;
  }

  private peek(): string {
    return this.text[this.position] ?? '';
  }

  private fault(problem: string): LuceneFault {
    return new LuceneFault(`${problem} at character ${this.position + 1}`);
  }
}

interface RangeEnds {
  readonly lower?: { readonly value: string; readonly inclusive: boolean };
  readonly upper?: { readonly value: string; readonly inclusive: boolean };
}

type WildcardNode =
  | { readonly kind: 'all'; readonly boost: number }
  | Extract<LuceneNode, { readonly kind: 'prefix' | 'wildcard' | 'exists' }>;

function wildcardNode(pattern: string, field: string | undefined): LuceneNode & WildcardNode {
  const base = { ...(field === undefined ? {} : { field }), boost: 1 };
  if (pattern === '*') {
    return field === '*' ? { kind: 'all', boost: 1 } : { kind: 'exists', ...base };
  }
  const isPrefix = /^(?:\\.|[^\\*?])+\*$/s.test(pattern);
  if (isPrefix) return { kind: 'prefix', text: unescape(pattern.slice(0, -1)), ...base };
  return { kind: 'wildcard', pattern, ...base };
}

function withBoost(node: LuceneClause, boost: number): LuceneClause {
  return boost === 1 ? node : { ...node, boost: node.boost * boost };
}

/** `\x` is x; `\u0041` is A. */
export function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g,
    (_, code: string | undefined, character: string | undefined) =>
      code === undefined ? (character ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** `>=5`, with all words that follow. */
function readComparison(text: string): ({ readonly kind: 'range' } & RangeEnds) | undefined {
  const [, sign = '', value = ''] = /^([<>]=?)(.+)$/s.exec(text) ?? [];
  if (value === '' || value === '*') return value === '' ? undefined : { kind: 'range' };
  const bound = { value, inclusive: sign.endsWith('=') };
  return sign.startsWith('>') ? { kind: 'range', lower: bound } : { kind: 'range', upper: bound };
}
