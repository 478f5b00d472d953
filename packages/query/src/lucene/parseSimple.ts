/*
 * `simple_query_string`: the same tree from a language without syntax faults. An operator in the wrong place is text
 * or nothing; a quote or bracket that is never closed counts as absent.
 */
import { present } from '../present.js';
import type { Conjunction, LuceneClause, LuceneNode, LucenePart } from './LuceneNode.js';

const MAX_DEPTH = 30;
const MAX_LEAVES = 1024;

export const SIMPLE_FLAGS = [
  'AND', 'OR', 'NOT', 'PREFIX', 'PHRASE', 'PRECEDENCE', 'ESCAPE', 'WHITESPACE', 'FUZZY', 'NEAR', 'SLOP',
] as const; // prettier-ignore
export type SimpleFlag = (typeof SIMPLE_FLAGS)[number];

export interface SimpleOptions {
  readonly flags: ReadonlySet<SimpleFlag>;
}

export function parseSimple(text: string, options: SimpleOptions): LuceneNode {
  return new SimpleReader(text, options).readGroup(text.length, 0);
}

/** A pair of brackets or quotes with nothing inside. */
const EMPTY = Symbol('empty');

class SimpleReader {
  private position = 0;
  private leafCount = 0;
  private readonly closingBracket: ReadonlyMap<number, number>;

  constructor(
    private readonly text: string,
    private readonly options: SimpleOptions,
  ) {
    this.closingBracket = matchBrackets(text, this.has('ESCAPE'));
  }

  readGroup(end: number, depth: number): LuceneNode {
    const parts: LucenePart[] = [];
    let conjunction: Conjunction | undefined;
    let isNegated = false;
    while (this.position < end && this.leafCount < MAX_LEAVES) {
      const character = this.text[this.position] ?? '';
      // A minus with anything but what it negates behind it says nothing.
      const wasNegated: boolean = isNegated;
      isNegated = false;
      if (character === '+' && this.has('AND')) conjunction ??= 'AND';
      else if (character === '|' && this.has('OR')) conjunction ??= 'OR';
      else if (character === '-' && this.has('NOT')) isNegated = !wasNegated;
      else if (!/\s/.test(character) || !this.has('WHITESPACE')) {
        const node = this.readBranch(end, depth);
        // Nothing in brackets or quotes takes the operator before it with it.
        if (node === EMPTY) conjunction = undefined;
        if (node === undefined || node === EMPTY) continue;
        parts.push({
          ...present({ conjunction }),
          ...(wasNegated ? { modifier: 'NOT' } : {}),
          node,
        });
        conjunction = undefined;
        continue;
      }
      this.position += 1;
    }
    this.position = Math.max(this.position, end);
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'group', parts, boost: 1 };
  }

  private has(flag: SimpleFlag): boolean {
    return this.options.flags.has(flag);
  }

  private readBranch(end: number, depth: number): LuceneClause | typeof EMPTY | undefined {
    const character = this.text[this.position] ?? '';
    if (this.has('PRECEDENCE') && (character === '(' || character === ')')) {
      const close = this.closingBracket.get(this.position);
      this.position += 1;
      if (character === ')' || close === undefined || close >= end || depth >= MAX_DEPTH)
        return undefined;
      if (close === this.position) {
        this.position += 1;
        return EMPTY;
      }
      const inner = this.readGroup(close, depth + 1);
      this.position = close + 1;
      return inner.kind === 'empty' ? undefined : inner;
    }
    if (this.has('PHRASE') && character === '"') return this.readPhrase(end);
    return this.readToken(end);
  }

  private readPhrase(end: number): LuceneClause | typeof EMPTY | undefined {
    let close = this.position + 1;
    while (close < end && this.text[close] !== '"') {
      close += this.text[close] === '\\' && this.has('ESCAPE') ? 2 : 1;
    }
    if (close >= end) {
      this.position += 1;
      return undefined;
    }
    const hasTilde = (this.has('NEAR') || this.has('SLOP')) && this.text[close + 1] === '~';
    if (close === this.position + 1 && !hasTilde) {
      this.position = close + 1;
      return EMPTY;
    }
    const text = this.unescape(this.text.slice(this.position + 1, close));
    this.position = close + 1;
    const slop = hasTilde ? Math.max(0, numberBehind(this.takeSuffix(end))) : 0;
    // Whatever ends it is lost as well.
    if (hasTilde) this.position = Math.min(this.position + 1, end);
    if (text === '') return undefined;
    this.leafCount += 1;
    return { kind: 'phrase', text, boost: 1, ...(hasTilde ? { slop } : {}) };
  }

  private readToken(end: number): LuceneClause | undefined {
    const start = this.position;
    while (this.position < end && !this.isTokenEnd(this.text[this.position] ?? '')) {
      if (this.text[this.position] === '~' && this.position > start && this.has('FUZZY')) break;
      this.position += this.text[this.position] === '\\' && this.has('ESCAPE') ? 2 : 1;
    }
    this.position = Math.min(this.position, end);
    const raw = this.text.slice(start, this.position);
    if (raw === '') {
      this.position += 1;
      return undefined;
    }
    this.leafCount += 1;
    // Alone in the whole text it means everything, whatever the flags; among others it is a word.
    if (this.text.trim() === '*') return { kind: 'all', boost: 1 };
    if (this.position < end && this.text[this.position] === '~' && this.has('FUZZY'))
      return this.fuzzyTerm(raw, this.takeSuffix(end));
    const isPrefix = this.has('PREFIX') && raw.endsWith('*') && !raw.endsWith('\\*');
    if (isPrefix) {
      const prefix = this.unescape(raw.slice(0, -1));
      if (prefix === '') return { kind: 'term', text: raw, boost: 1 };
      return { kind: 'prefix', text: prefix, boost: 1 };
    }
    return { kind: 'term', text: this.unescape(raw), boost: 1 };
  }

  /** @param suffix all that is behind the tilde */
  private fuzzyTerm(words: string, suffix: string): LuceneClause {
    const text = this.unescape(words);
    const edits = suffix === '' ? 2 : numberBehind(suffix);
    if (edits <= 0) return { kind: 'term', text, boost: 1 };
    return { kind: 'term', text, fuzziness: edits >= 2 ? 2 : 1, boost: 1 };
  }

  private isTokenEnd(character: string): boolean {
    return (
      (character === '"' && this.has('PHRASE')) ||
      (character === '|' && this.has('OR')) ||
      (character === '+' && this.has('AND')) ||
      ((character === '(' || character === ')') && this.has('PRECEDENCE')) ||
      (/\s/.test(character) && this.has('WHITESPACE'))
    );
  }

  /** What stands behind a tilde, where nothing is escaped. */
  private takeSuffix(end: number): string {
    const start = this.position + 1;
    this.position = start;
    while (this.position < end && !this.isTokenEnd(this.text[this.position] ?? ''))
      this.position += 1;
    return this.text.slice(start, this.position);
  }

  private unescape(text: string): string {
    return this.has('ESCAPE') ? text.replace(/\\([\s\S])/g, '$1') : text;
  }
}

/** The number behind a tilde; 0 where there is none: what stands there is lost. */
function numberBehind(text: string): number {
  const number = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : 0;
  return Math.abs(number) < 2 ** 31 ? number : 0;
}

/** Closing bracket of each opening one, in one pass; those in quotes count as well. */
function matchBrackets(text: string, hasEscapes: boolean): ReadonlyMap<number, number> {
  const open: number[] = [];
  const closing = new Map<number, number>();
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\' && hasEscapes) at += 1;
    else if (character === '(') open.push(at);
    else if (character === ')') {
      const start = open.pop();
      if (start !== undefined) closing.set(start, at);
    }
  }
  return closing;
}
