import type { TermColumn } from '../columns/TermColumn.js';
import { NO_BUCKET, type Bucketing } from './Bucketing.js';

/** Buckets of terms. */
export interface TermBucketing {
  readonly bucketing: Bucketing;
  /** By ordinal: the indexed term. */
  readonly termOf: (ordinal: number) => string;
  /** By ordinal: increases with the term. */
  readonly rankOf: (ordinal: number) => number;
}

/** If the list of documents is shorter than the dictionary by this factor, its terms are renumbered. */
const SPARSE_RATIO = 8;

/** Assigns documents to a bucket per term. @param missing the term of documents without one */
export function termBucketing(
  column: TermColumn,
  slots: Int32Array,
  missing: string | undefined,
  /** Documents whose terms get buckets too, empty ones; their column may differ but must share the dictionary. */
  others?: ColumnSlots,
): TermBucketing {
  const { dictionary } = column;
  const known = missing === undefined ? undefined : dictionary.find(missing);
  const hasNew = missing !== undefined && known === undefined;
  const missingCode = missing === undefined ? NO_BUCKET : (known ?? dictionary.size);
  const newRank = hasNew ? dictionary.rankOf(missing) - 0.5 : 0;
  const ranks = dictionary.ranks();
  const termOf = (code: number) => (code === dictionary.size ? (missing ?? '') : dictionary.term(code));
  const rankOf = (code: number) => (code === dictionary.size ? newRank : (ranks[code] as number));
  const size = dictionary.size + (hasNew ? 1 : 0);
  if (others === undefined && slots.length * SPARSE_RATIO >= size) {
    const bucketing: Bucketing = {
      size,
      // The content of the array beyond `length` is undefined.
      ordinals: column.codes.subarray(0, column.length),
      isByPosition: false,
      more: column.more,
      missingOrdinal: missingCode,
    };
    return { bucketing, termOf, rankOf };
  }
  return renumbered(column, slots, { missingCode, termOf, rankOf, others });
}

/** A list of documents and the column with their terms. */
interface ColumnSlots {
  readonly column: TermColumn;
  readonly slots: Int32Array;
}

interface CodeReading {
  readonly missingCode: number;
  readonly termOf: (code: number) => string;
  readonly rankOf: (code: number) => number;
  readonly others: ColumnSlots | undefined;
}

function renumbered(
  column: TermColumn,
  slots: Int32Array,
  { missingCode, termOf, rankOf, others }: CodeReading,
): TermBucketing {
  const ordinalOf = new Map<number, number>();
  const codes: number[] = [];
  const number = (code: number): number => {
    let ordinal = ordinalOf.get(code);
    if (ordinal === undefined) {
      ordinal = codes.length;
      ordinalOf.set(code, ordinal);
      codes.push(code);
    }
    return ordinal;
  };
  const ordinals = new Int32Array(slots.length);
  const more = new Map<number, Int32Array>();
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    const code = column.codeAt(slot);
    ordinals[i] = code >= 0 ? number(code) : code;
    if (code < NO_BUCKET) more.set(slot, (column.more.get(slot) as Int32Array).map(number));
  }
  for (const slot of others?.slots ?? []) {
    const code = others?.column.codeAt(slot) ?? NO_BUCKET;
    if (code >= 0) number(code);
    else if (code < NO_BUCKET) for (const each of others?.column.more.get(slot) ?? []) number(each);
  }
  const missingOrdinal = missingCode === NO_BUCKET ? NO_BUCKET : number(missingCode);
  return {
    bucketing: { size: codes.length, ordinals, isByPosition: true, more, missingOrdinal },
    termOf: (ordinal) => termOf(codes[ordinal] as number),
    rankOf: (ordinal) => rankOf(codes[ordinal] as number),
  };
}

/** As `countBuckets` if the list contains all documents of the index and none is dead: uses stored counts. */
export function countAllTerms({ size, missingOrdinal }: Bucketing, column: TermColumn, slotCount: number): Int32Array {
  const counts = column.countsOf(size);
  if (missingOrdinal !== NO_BUCKET) {
    counts[missingOrdinal] = (counts[missingOrdinal] as number) + slotCount - column.documentCount;
  }
  return counts;
}
