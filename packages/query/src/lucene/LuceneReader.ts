/*
 * Parses the Lucene syntax of `query_string` by recursive descent. Operators have no precedence: AND makes both its
 * neighbours required, and OR makes the one before it optional if `default_operator` is AND. Adjacent bare words form
 * one string, so that they are analysed together.
 */
import type { Fuzziness } from '../parse/parseFuzziness.js';
import { present } from '../present.js';
import type { FieldLeaf, LuceneBound, LuceneClause, LuceneNode } from './LuceneNode.js';
import { TextScanner } from './TextScanner.js';

/** A syntax error in the string of a `query_string`. */
export class LuceneFault extends Error {}

const MAX_DEPTH = 30;

const FIRST = String.raw`(?:\\[^]|[^\s\\+\-!():^[\]"{}~/])`;
const NEXT = String.raw`(?:\\[^]|[^\s\\!():^[\]"{}~/])`;
const PLAIN = String.raw`(?:\\[^]|[^\s\\+\-!():^[\]"{}~/*?])(?:\\[^]|[^\s\\!():^[\]"{}~/*?])*`;
const BOUND = String.raw`"(?:\\[^]|[^"\\])*"|[^\s\]}"]+`;
const WORD_END = String.raw`(?=$|[\s!():^[\]"{}~/])`;

const sticky = (source: string) => new RegExp(source, 'y');

const WORD = sticky(`${FIRST}${NEXT}*`);
/** A bare word after another one, without a field, a suffix or an operator that applies to this word only. */
const FURTHER_WORD = sticky(
  String.raw`\s+(?!(?:AND|OR|NOT|&&|\|\|)${WORD_END})(${PLAIN})(?=$|[\s!()[\]"{}/])(?!\s+(?:AND|OR|&&|\|\|)${WORD_END})`,
);
const FIELD = sticky(String.raw`(\*|${PLAIN})\s*:`);
const CONJUNCTION = sticky(String.raw`(AND|&&|OR|\|\|)${WORD_END}`);
const MODIFIER = sticky(`NOT${WORD_END}|[!+-]`);
/** A sign before a blank has no meaning. */
const BLANKS = sticky(String.raw`(?:\s|[+\-!](?=\s))*`);
const QUOTED = sticky(String.raw`"((?:\\[^]|[^"\\])*)"`);
const REGEXP = sticky(String.raw`\/((?:\\[^]|[^/\\])*)\/`);
const RANGE = sticky(String.raw`([[{])\s*(${BOUND})\s+TO\s+(${BOUND})\s*([\]}])`);
const COMPARISON = sticky(`([<>]=?)(${NEXT}+)`);
const TILDE = sticky(String.raw`~([\d.]*)`);
const BOOST = sticky(String.raw`\^(\d{1,9}(?:\.\d{1,9})?)`);

interface LuceneOptions {
  /** Called for each condition; throws if there are too many. */
  readonly countClause: () => void;
  readonly defaultOperator: 'or' | 'and';
  /** Default of `~` without a number. */
  readonly fuzziness: Fuzziness;
  readonly phraseSlop: number;
}

/** @throws LuceneFault */
export function parseLucene(text: string, options: LuceneOptions): LuceneNode {
  return new LuceneReader(text, options).read();
}

class LuceneReader extends TextScanner {
  constructor(
    text: string,
    private readonly options: LuceneOptions,
  ) {
    super(text);
  }

  read(): LuceneNode {
    if (this.text.trim() === '') return { kind: 'none' };
    const node = this.readClauses(undefined, 0);
    if (this.position < this.text.length) throw this.fault('unexpected character');
    return node;
  }

  private readClauses(field: string | undefined, depth: number): LuceneNode {
    if (depth > MAX_DEPTH) throw this.fault(`brackets nested deeper than ${MAX_DEPTH}`);
    const isAndByDefault = this.options.defaultOperator === 'and';
    const clauses: LuceneClause[] = [];
    while (!this.isAtEnd()) {
      const conjunction = this.takeConjunction();
      const previous = clauses.at(-1);
      if (conjunction !== undefined) {
        if (previous === undefined) throw this.fault(`"${conjunction}" without a clause before it`);
        const occur = conjunction === 'AND' ? 'must' : isAndByDefault ? 'should' : previous.occur;
        if (previous.occur !== 'must_not') clauses[clauses.length - 1] = { ...previous, occur };
      }
      const modifier = this.take(MODIFIER)?.[0];
      if (this.isAtEnd()) throw this.fault('a clause is missing');
      const isJoined = conjunction !== undefined || modifier !== undefined;
      const node = this.readClause(field, depth, !isJoined);
      const isByDefault = isAndByDefault && conjunction !== 'OR';
      const isRequired = modifier === '+' || conjunction === 'AND' || isByDefault;
      const isExcluded = modifier !== undefined && modifier !== '+';
      clauses.push({ occur: isExcluded ? 'must_not' : isRequired ? 'must' : 'should', node });
    }
    const [first, second] = clauses;
    if (first === undefined) throw this.fault('a clause is missing');
    if (second === undefined && first.occur !== 'must_not') return first.node;
    return { kind: 'clauses', clauses, boost: 1 };
  }

  private takeConjunction(): 'AND' | 'OR' | undefined {
    const word = this.take(CONJUNCTION)?.[1];
    this.take(BLANKS);
    return word === undefined ? undefined : word === 'AND' || word === '&&' ? 'AND' : 'OR';
  }

  private readClause(outer: string | undefined, depth: number, mayJoin: boolean): LuceneNode {
    const own = this.take(FIELD)?.[1];
    const field = own === undefined ? outer : unescape(own);
    this.take(BLANKS);
    if (this.text[this.position] !== '(') return this.readLeaf(field, mayJoin && own === undefined);
    this.position += 1;
    const inner = this.readClauses(field, depth + 1);
    if (this.text[this.position] !== ')') throw this.fault('a closing bracket is missing');
    this.position += 1;
    const boost = this.takeBoost();
    return inner.kind === 'none' ? inner : { ...inner, boost: inner.boost * boost };
  }

  private readLeaf(field: string | undefined, mayJoin: boolean): LuceneNode {
    this.options.countClause();
    if (field === '_exists_') return this.readExists();
    const base = present({ field });
    const quoted = this.take(QUOTED)?.[1];
    if (quoted !== undefined) {
      const slop = this.takeTilde() ?? this.options.phraseSlop;
      return { kind: 'phrase', text: unescape(quoted), slop, ...base, boost: this.takeBoost() };
    }
    const pattern = this.take(REGEXP)?.[1]?.replaceAll('\\/', '/');
    if (pattern !== undefined) return { kind: 'regexp', pattern, ...base, boost: this.takeBoost() };
    const range = this.takeRange() ?? (field === undefined ? undefined : this.takeComparison());
    if (range !== undefined) return { ...range, ...base, boost: this.takeBoost() };
    return this.readWord(field, mayJoin);
  }

  private readExists(): LuceneNode {
    const name = this.take(QUOTED)?.[1] ?? this.take(WORD)?.[0];
    if (name === undefined) throw this.fault('_exists_ names no field');
    return { kind: 'exists', field: unescape(name), boost: this.takeBoost() };
  }

  private takeRange(): LuceneRange | undefined {
    const [found, open, from = '', to = '', close] = this.take(RANGE) ?? [];
    if (found === undefined) return undefined;
    const lower = boundOf(from, open === '[');
    const upper = boundOf(to, close === ']');
    return { kind: 'range', ...present({ lower, upper }) };
  }

  /** `>=5` */
  private takeComparison(): LuceneRange | undefined {
    const [found, sign = '', value = ''] = this.take(COMPARISON) ?? [];
    if (found === undefined) return undefined;
    const bound = { value: unescape(value), inclusive: sign.endsWith('=') };
    return { kind: 'range', ...(sign.startsWith('>') ? { lower: bound } : { upper: bound }) };
  }

  private readWord(field: string | undefined, mayJoin: boolean): LuceneNode {
    const word = this.take(WORD)?.[0];
    if (word === undefined) throw this.fault('unexpected character');
    if (/^(?:AND|OR|NOT|&&|\|\|)$/.test(word)) throw this.fault(`"${word}" where a clause is expected`);
    if (!/^(?:\\[^]|[^\\*?])*$/.test(word)) return { ...patternLeaf(word, field), boost: this.takeBoost() };
    const base = { text: unescape(word), ...present({ field }) };
    const suffix = this.text[this.position];
    if (suffix === '~') {
      const fuzziness = this.takeFuzziness();
      return { kind: 'fuzzy', fuzziness, ...base, boost: this.takeBoost() };
    }
    if (suffix === '^' || !mayJoin) return { kind: 'text', ...base, boost: this.takeBoost() };
    const text = [base.text, ...this.takeFurtherWords()].join(' ');
    return { kind: 'text', ...base, text, boost: 1 };
  }

  private takeFurtherWords(): readonly string[] {
    const words: string[] = [];
    for (;;) {
      const word = this.take(FURTHER_WORD)?.[1];
      if (word === undefined) return words;
      words.push(unescape(word));
    }
  }

  private takeFuzziness(): Fuzziness {
    const edits = this.takeTilde();
    if (edits === undefined) return this.options.fuzziness;
    if (edits === 0 || edits === 1 || edits === 2) return { kind: 'edits', edits };
    throw this.fault(`fuzziness is 0, 1 or 2, not ${edits}`);
  }

  /** The integer after `~`; undefined if there is none. */
  private takeTilde(): number | undefined {
    const digits = this.take(TILDE)?.[1] ?? '';
    if (digits === '') return undefined;
    if (!/^\d{1,6}$/.test(digits)) throw this.fault('~ needs a whole number');
    return Number(digits);
  }

  private takeBoost(): number {
    return Number(this.take(BOOST)?.[1] ?? 1);
  }

  /** True at the end of the string or of brackets, ignoring blanks. */
  private isAtEnd(): boolean {
    this.take(BLANKS);
    return this.position >= this.text.length || this.text[this.position] === ')';
  }

  private fault(problem: string): LuceneFault {
    return new LuceneFault(`${problem} at character ${this.position + 1}`);
  }
}

interface LuceneRange {
  readonly kind: 'range';
  readonly lower?: LuceneBound;
  readonly upper?: LuceneBound;
}

/** Undefined for `*`: no bound. */
function boundOf(text: string, inclusive: boolean): LuceneBound | undefined {
  if (text === '*') return undefined;
  return { value: unescape(text.startsWith('"') ? text.slice(1, -1) : text), inclusive };
}

function patternLeaf(pattern: string, field: string | undefined): FieldLeaf | LuceneAll {
  const base = { ...present({ field }), boost: 1 };
  if (pattern === '*') return field === '*' ? { kind: 'all', boost: 1 } : { kind: 'exists', ...base };
  const isPrefix = /^(?:\\[^]|[^\\*?])+\*$/.test(pattern);
  if (isPrefix) return { kind: 'prefix', text: unescape(pattern.slice(0, -1)), ...base };
  return { kind: 'wildcard', pattern, ...base };
}

interface LuceneAll {
  readonly kind: 'all';
  readonly boost: number;
}

/** `\x` is x; `\u0041` is A. */
function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_, code?: string, character = '') =>
    code === undefined ? String(character) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
