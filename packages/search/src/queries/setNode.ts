import type { FieldIndex } from '../fields/FieldIndex.js';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';
import type { SearchScope } from '../SearchScope.js';
import { constantMatches } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { unite } from './setOperations.js';

/**
 * A set of documents with one score.
 * @param estimate see `QueryNode.estimate`
 * @param find the slots of the documents, ascending
 * @param test see `QueryNode.test`
 */
export function setNode(
  constantScore: number,
  estimate: () => number,
  find: () => Int32Array,
  test?: QueryNode['test'],
): QueryNode {
  return { constantScore, estimate, match: () => constantMatches(find(), constantScore), test };
}

const NO_SLOTS = new Int32Array(0);

/** No document. */
export const NO_DOCUMENT: QueryNode = setNode(
  0,
  () => 0,
  () => NO_SLOTS,
  () => false,
);

/** Every document. */
export function everyDocument({ index }: SearchScope, score: number): QueryNode {
  return setNode(
    score,
    () => index.livingCount,
    () => index.living(),
    () => true,
  );
}

/** Documents found earlier. @param slots ascending */
export function slotsNode(slots: Int32Array, score: number): QueryNode {
  return setNode(
    score,
    () => slots.length,
    () => slots,
  );
}

/** The documents of another query. */
export function withConstantScore(inner: QueryNode, score: number): QueryNode {
  return setNode(
    score,
    () => inner.estimate(),
    () => inner.match(false).slots,
    inner.test,
  );
}

/** Documents that have a value in at least one of the fields. */
export function existsNode({ index }: SearchScope, fields: readonly FieldIndex[], score: number): QueryNode {
  const [only] = fields;
  const test =
    fields.length === 1 && only !== undefined
      ? (slot: number) => only.has(slot)
      : (slot: number) => fields.some((field) => field.has(slot));
  return setNode(
    score,
    () => index.livingCount,
    () => index.living().filter(test),
    test,
  );
}

/** Documents with at least one of several terms. */
export function codesNode(
  field: TermField | TextField,
  codes: ArrayLike<number>,
  score: number,
  { index: { slotCount } }: SearchScope,
): QueryNode {
  const estimate = () => {
    let sum = 0;
    for (let i = 0; i < codes.length; i += 1) sum += field.postings.count(codes[i] as number);
    return Math.min(sum, slotCount);
  };
  const find = () => {
    const { postings } = field;
    const lists = Array.from(codes, (code) => constantMatches(postings.list(code).slots, 0));
    return unite(lists, slotCount, 1, false).slots;
  };
  // The columns of text fields use different codes.
  return setNode(score, estimate, find, field.kind === 'text' ? undefined : hasAnyOf(field, codes));
}

function hasAnyOf({ column }: TermField, codes: ArrayLike<number>): (slot: number) => boolean {
  const { size } = column.dictionary;
  let isWanted: Uint8Array | undefined;
  const mask = () => {
    const marks = new Uint8Array(size);
    for (let i = 0; i < codes.length; i += 1) marks[codes[i] as number] = 1;
    return marks;
  };
  return (slot) => column.hasAny(slot, (isWanted ??= mask()));
}
