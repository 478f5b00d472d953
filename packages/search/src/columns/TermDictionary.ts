import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';

/*
 * The distinct terms of one field, numbered in order of appearance: the code of a term never changes. The sorted order
 * is computed at first use; terms added later are sorted and merged in.
 *
 * Terms are ordered by UTF-8 bytes, which is the order of code points. JavaScript compares UTF-16 units, which differs
 * only between a surrogate and a character from U+E000 on.
 */
const MAYBE_MISORDERED = /[\uD800-\uFFFF]/;

/** Compares by code point. */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return sortableUnit(x) - sortableUnit(y);
  }
  return a.length - b.length;
}

// Moves surrogates above the rest of the plane.
function sortableUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Terms and their codes. */
export class TermDictionary {
  readonly terms: string[] = [];
  private readonly codes = new Map<string, number>();
  private isPlain = true;
  private sortedCodes: Int32Array = new Int32Array(0);
  private rankOfCode: Int32Array = new Int32Array(0);
  private characterCount = 0;

  get size(): number {
    return this.terms.length;
  }

  /** The code of the term; assigned if the term is new. */
  codeFor(term: string): number {
    const known = this.codes.get(term);
    if (known !== undefined) return known;
    const code = this.terms.length;
    this.terms.push(term);
    this.codes.set(term, code);
    this.characterCount += term.length;
    if (this.isPlain && MAYBE_MISORDERED.test(term)) this.isPlain = false;
    return code;
  }

  find(term: string): number | undefined {
    return this.codes.get(term);
  }

  term(code: number): string {
    return this.terms[code] as string;
  }

  /** Codes in the order of their terms. */
  inOrder(): Int32Array {
    if (this.sortedCodes.length !== this.terms.length) this.sort();
    return this.sortedCodes;
  }

  /** By code: the rank of its term. */
  ranks(): Int32Array {
    if (this.sortedCodes.length !== this.terms.length) this.sort();
    return this.rankOfCode;
  }

  /** The number of terms that sort before `term`. */
  rankOf(term: string): number {
    const order = this.inOrder();
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareTerms(this.term(order[middle] as number), term) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The range of ranks of the terms that begin with `prefix`. */
  ranksOfPrefix(prefix: string): readonly [from: number, to: number] {
    const order = this.inOrder();
    const from = this.rankOf(prefix);
    let low = from;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.term(order[middle] as number).startsWith(prefix)) low = middle + 1;
      else high = middle;
    }
    return [from, low];
  }

  store(output: IndexOutput): void {
    output.strings(this.terms);
    output.array(this.sortedCodes, this.sortedCodes.length);
  }

  restore(input: IndexInput): void {
    for (const term of input.strings()) this.codeFor(term);
    this.sortedCodes = input.int32();
    this.rankOfCode = ranksOf(this.sortedCodes);
  }

  /** Approximate memory of the terms. */
  get byteLength(): number {
    return this.terms.length * 80 + this.characterCount + this.sortedCodes.byteLength * 2;
  }

  private sort(): void {
    const { terms } = this;
    const compare = this.isPlain ? compareUnits : compareTerms;
    const byTerm = (a: number, b: number) => compare(terms[a] as string, terms[b] as string);
    const added = new Int32Array(terms.length - this.sortedCodes.length);
    for (let i = 0; i < added.length; i += 1) added[i] = this.sortedCodes.length + i;
    added.sort(byTerm);
    this.sortedCodes = merge(this.sortedCodes, added, byTerm);
    this.rankOfCode = ranksOf(this.sortedCodes);
  }
}

function ranksOf(sortedCodes: Int32Array): Int32Array {
  const ranks = new Int32Array(sortedCodes.length);
  for (let rank = 0; rank < ranks.length; rank += 1) ranks[sortedCodes[rank] as number] = rank;
  return ranks;
}

function merge(a: Int32Array, b: Int32Array, compare: (x: number, y: number) => number): Int32Array {
  if (a.length === 0) return b;
  const merged = new Int32Array(a.length + b.length);
  let i = 0;
  let j = 0;
  for (let k = 0; k < merged.length; k += 1) {
    const takeFirst = j >= b.length || (i < a.length && compare(a[i] as number, b[j] as number) < 0);
    merged[k] = (takeFirst ? a[i++] : b[j++]) as number;
  }
  return merged;
}
