/*
 * The syntax of `simple_query_string`, which has no syntax errors: a misplaced operator and an unclosed quote are
 * ignored, and an unclosed bracket ends with the string.
 */
import type { LuceneClause, LuceneNode } from './LuceneNode.js';
import { TextScanner } from './TextScanner.js';

const MAX_DEPTH = 30;

export const SIMPLE_FLAGS = [
  'AND', 'OR', 'NOT', 'PREFIX', 'PHRASE', 'PRECEDENCE', 'ESCAPE', 'WHITESPACE', 'FUZZY', 'NEAR', 'SLOP',
] as const; // prettier-ignore
export type SimpleFlag = (typeof SIMPLE_FLAGS)[number];

export interface SimpleOptions {
  /** Called for each condition; throws if there are too many. */
  readonly countClause: () => void;
  readonly flags: ReadonlySet<SimpleFlag>;
  readonly defaultOperator: 'or' | 'and';
}

export function parseSimple(text: string, options: SimpleOptions): LuceneNode {
  if (text.trim() === '*') return { kind: 'all', boost: 1 };
  return new SimpleReader(text, options).readGroup(0);
}

class SimpleReader extends TextScanner {
  private readonly token: RegExp;
  private readonly phrase: RegExp;

  constructor(
    text: string,
    private readonly options: SimpleOptions,
  ) {
    super(text);
    const when = (flag: SimpleFlag, source: string) => (this.has(flag) ? source : '');
    const escaped = when('ESCAPE', String.raw`\\[^]|`);
    const excluded = when('ESCAPE', String.raw`\\`);
    const operators = [
      when('AND', '+'),
      when('OR', '|'),
      when('PHRASE', '"'),
      when('PRECEDENCE', '()'),
      when('WHITESPACE', String.raw`\s`),
      when('FUZZY', '~'),
    ].join('');
    const slop = this.has('NEAR') || this.has('SLOP') ? String.raw`(?:~(\d{0,9}))?` : '';
    this.token = new RegExp(
      `((?:${escaped}[^${operators}${excluded}])+)${when('FUZZY', String.raw`(?:~(\d{0,9}))?`)}`,
      'y',
    );
    this.phrase = new RegExp(`"((?:${escaped}[^"${excluded}])*)"${slop}`, 'y');
  }

  /** Parses to the end of the string, or of the brackets. Operators are left-associative. */
  readGroup(depth: number): LuceneNode {
    const byDefault = this.options.defaultOperator === 'and' ? 'must' : 'should';
    let tree: LuceneNode = { kind: 'none' };
    /** The clauses of `tree`, if this operator joined them last. */
    let joined: { readonly by: LuceneClause['occur']; readonly clauses: LuceneClause[] } | undefined;
    let occur: LuceneClause['occur'] = byDefault;
    let isNegated = false;
    while (this.position < this.text.length) {
      const character = this.text[this.position] ?? '';
      if (character === ')' && depth > 0) break;
      if (character === '+' && this.has('AND')) occur = 'must';
      else if (character === '|' && this.has('OR')) occur = 'should';
      else if (character === '-' && this.has('NOT')) isNegated = this.isBeforeClause();
      else {
        const found = this.readClause(depth);
        if (found.kind === 'none') continue;
        if (found.kind !== 'clauses') this.options.countClause();
        const node = isNegated ? negated(found) : found;
        if (tree.kind === 'none') tree = node;
        else {
          if (joined?.by !== occur) joined = { by: occur, clauses: [{ occur, node: tree }] };
          joined.clauses.push({ occur, node });
          tree = { kind: 'clauses', clauses: joined.clauses, boost: 1 };
        }
        occur = byDefault;
        isNegated = false;
        continue;
      }
      this.position += 1;
    }
    return tree;
  }

  private has(flag: SimpleFlag): boolean {
    return this.options.flags.has(flag);
  }

  /** A minus before a blank or at the end has no meaning. */
  private isBeforeClause(): boolean {
    return /\S/.test(this.text[this.position + 1] ?? '');
  }

  private readClause(depth: number): LuceneNode {
    if (this.text[this.position] === '(' && this.has('PRECEDENCE') && depth < MAX_DEPTH) {
      this.position += 1;
      const inner = this.readGroup(depth + 1);
      this.position += 1;
      return inner;
    }
    const [phrase, quoted = '', slop] = (this.has('PHRASE') && this.take(this.phrase)) || [];
    if (phrase !== undefined) {
      if (quoted === '') return { kind: 'none' };
      return { kind: 'phrase', text: this.unescape(quoted), slop: Number(slop ?? 0), boost: 1 };
    }
    const [found, raw = '', edits] = this.take(this.token) ?? [];
    if (found === undefined) {
      this.position += 1;
      return { kind: 'none' };
    }
    return this.wordOf(raw, edits);
  }

  /** @param edits the digits after a tilde; undefined: no tilde */
  private wordOf(raw: string, edits: string | undefined): LuceneNode {
    const text = this.unescape(raw);
    if (edits !== undefined && edits !== '0') {
      const fuzziness = { kind: 'edits', edits: edits === '1' ? 1 : 2 } as const;
      return { kind: 'fuzzy', text, fuzziness, boost: 1 };
    }
    const isPrefix = this.has('PREFIX') && /[^\\]\*$/.test(raw);
    if (isPrefix) return { kind: 'prefix', text: text.slice(0, -1), boost: 1 };
    return { kind: 'text', text, boost: 1 };
  }

  private unescape(text: string): string {
    return this.has('ESCAPE') ? text.replace(/\\([^])/g, '$1') : text;
  }
}

function negated(node: LuceneNode): LuceneNode {
  return { kind: 'clauses', clauses: [{ occur: 'must_not', node }], boost: 1 };
}
