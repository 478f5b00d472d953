/** In `ordinals`: the document is in no bucket. */
export const NO_BUCKET = -1;

/** In `ordinals`: the document is in several buckets, listed in `more`. */
export const SEVERAL_BUCKETS = -2;

/*
 * Assigns the documents of a list to buckets, numbered 0 to `size` - 1, before the returned buckets are chosen.
 * Counting is one pass over typed arrays. The documents of a bucket are gathered in a second pass, only for buckets
 * with children, all at once by a counting sort.
 */
export interface Bucketing {
  readonly size: number;
  /** By slot, or by the position in the list of documents if `isByPosition`. */
  readonly ordinals: Int32Array;
  readonly isByPosition: boolean;
  /** By slot: distinct ordinals. */
  readonly more: ReadonlyMap<number, Int32Array>;
  /** The bucket of documents without a value; NO_BUCKET: they are left out. */
  readonly missingOrdinal: number;
}

/** By ordinal: number of documents in the bucket. */
export function countBuckets(bucketing: Bucketing, slots: Int32Array): Int32Array {
  const { size, ordinals, isByPosition, more, missingOrdinal } = bucketing;
  const counts = new Int32Array(size);
  const known = ordinals.length;
  // All documents, or one ordinal per document: no lookup of the slot.
  if (slots.length === known && (isByPosition || slots[known - 1] === known - 1)) {
    countInOrder(bucketing, slots, counts);
    return counts;
  }
  for (let i = 0; i < slots.length; i += 1) {
    const at = isByPosition ? i : (slots[i] as number);
    let ordinal = at < known ? (ordinals[at] as number) : NO_BUCKET;
    if (ordinal === NO_BUCKET) ordinal = missingOrdinal;
    if (ordinal >= 0) counts[ordinal] = (counts[ordinal] as number) + 1;
    else if (ordinal === SEVERAL_BUCKETS) {
      for (const one of more.get(slots[i] as number) as Int32Array) counts[one] = (counts[one] as number) + 1;
    }
  }
  return counts;
}

function countInOrder({ ordinals, more, missingOrdinal }: Bucketing, slots: Int32Array, counts: Int32Array): void {
  for (let i = 0; i < ordinals.length; i += 1) {
    const ordinal = ordinals[i] as number;
    if (ordinal >= 0) counts[ordinal] = (counts[ordinal] as number) + 1;
    else if (ordinal === SEVERAL_BUCKETS) {
      for (const one of more.get(slots[i] as number) as Int32Array) counts[one] = (counts[one] as number) + 1;
    } else if (ordinal === NO_BUCKET && missingOrdinal >= 0) {
      counts[missingOrdinal] = (counts[missingOrdinal] as number) + 1;
    }
  }
}

/** The documents of each of the chosen buckets, ascending. */
export function groupSlots(
  bucketing: Bucketing,
  slots: Int32Array,
  chosen: ArrayLike<number>,
  counts: Int32Array,
): Int32Array[] {
  const { size, ordinals, isByPosition, more, missingOrdinal } = bucketing;
  const groupOf = new Int32Array(size).fill(-1);
  const groups: Int32Array[] = [];
  for (let group = 0; group < chosen.length; group += 1) {
    const ordinal = chosen[group] as number;
    groupOf[ordinal] = group;
    groups.push(new Int32Array(counts[ordinal] as number));
  }
  const filled = new Int32Array(chosen.length);
  const put = (ordinal: number, slot: number) => {
    const group = groupOf[ordinal] as number;
    if (group < 0) return;
    const at = filled[group] as number;
    (groups[group] as Int32Array)[at] = slot;
    filled[group] = at + 1;
  };
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    const at = isByPosition ? i : slot;
    let ordinal = at < ordinals.length ? (ordinals[at] as number) : NO_BUCKET;
    if (ordinal === NO_BUCKET) ordinal = missingOrdinal;
    if (ordinal >= 0) put(ordinal, slot);
    else if (ordinal === SEVERAL_BUCKETS) for (const one of more.get(slot) as Int32Array) put(one, slot);
  }
  return groups;
}
