import { formatIp, type CompiledField } from '@millrace/query';
import { Postings } from '../columns/Postings.js';
import { NO_TERM, SEVERAL_TERMS, TermColumn } from '../columns/TermColumn.js';
import type { TermDictionary } from '../columns/TermDictionary.js';
import type { IndexInput } from '../stored/IndexInput.js';
import type { IndexOutput } from '../stored/IndexOutput.js';

/** A keyword or ip field: a column of codes, and postings created by the first query that needs them. */
export class TermField {
  readonly kind = 'term';
  readonly column = new TermColumn();
  private lazyPostings: Postings | undefined;
  /** Slots before this one are in the postings. */
  private postedSlots = 0;

  constructor(readonly field: CompiledField) {}

  seal(): void {
    this.column.seal();
  }

  get dictionary(): TermDictionary {
    return this.column.dictionary;
  }

  has(slot: number): boolean {
    return this.column.codeAt(slot) !== NO_TERM;
  }

  /** The postings of every term, updated to the latest document. */
  get postings(): Postings {
    const postings = (this.lazyPostings ??= new Postings(false));
    const { codes, length, more } = this.column;
    if (this.postedSlots === length) return postings;
    for (let slot = this.postedSlots; slot < length; slot += 1) {
      const code = codes[slot] as number;
      if (code >= 0) postings.add(code, slot, 1);
      else if (code === SEVERAL_TERMS) {
        for (const one of more.get(slot) as Int32Array) postings.add(one, slot, 1);
      }
    }
    if (this.postedSlots === 0) postings.pack();
    else postings.packWhenLarge();
    this.postedSlots = length;
    return postings;
  }

  /** Of the postings that queries have used; see `Postings.packNext`. */
  packNext(): boolean {
    return this.lazyPostings === undefined || this.postings.packNext();
  }

  store(output: IndexOutput): void {
    this.column.store(output);
    const postings = this.lazyPostings;
    output.json({ postedSlots: postings === undefined ? -1 : this.postedSlots });
    postings?.store(output);
  }

  restore(input: IndexInput): void {
    this.column.restore(input);
    const { postedSlots } = input.numbers('postedSlots');
    if (postedSlots < 0) return;
    this.lazyPostings = new Postings(false);
    this.lazyPostings.restore(input);
    this.postedSlots = postedSlots;
  }

  get byteLength(): number {
    return this.column.byteLength + (this.lazyPostings?.byteLength ?? 0);
  }
}

/** A term as results contain it. */
export function showTerm(field: CompiledField, term: string): string {
  return field.type === 'ip' ? formatIp(term) : term;
}
