import type { BoundRange } from '@millrace/query';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { nextDouble } from './nextDouble.js';
import { NumberRangeNode } from './NumberRangeNode.js';
import type { QueryNode } from './QueryNode.js';
import { codesNode, NO_DOCUMENT } from './setNode.js';

interface Bound<Value> {
  readonly value: Value;
  readonly inclusive: boolean;
}

/** A range of numbers, dates, addresses or terms. */
export function compileRange(query: BoundRange, scope: SearchScope): QueryNode {
  const { range, mapped } = query;
  const index = indexOf(scope, mapped);
  if (range.kind === 'number') {
    if (index?.kind !== 'number') return NO_DOCUMENT;
    const low = lowEnd(range.lower);
    const high = -lowEnd(range.upper && { ...range.upper, value: -range.upper.value });
    return new NumberRangeNode(index.column, low, high, query.boost);
  }
  if (index?.kind !== 'term' && index?.kind !== 'text') return NO_DOCUMENT;
  return termRangeNode(index, range, query.boost, scope);
}

/** The smallest number within the bound. */
function lowEnd(bound: Bound<number> | undefined): number {
  if (bound === undefined) return -Infinity;
  return bound.inclusive ? bound.value : nextDouble(bound.value);
}

/** The bounds of a range of terms. */
export interface TermRange {
  readonly lower?: Bound<string>;
  readonly upper?: Bound<string>;
}

/** The documents with a term in the range. */
export function termRangeNode(
  index: TermField | TextField,
  { lower, upper }: TermRange,
  boost: number,
  scope: SearchScope,
): QueryNode {
  const { dictionary } = index;
  const has = (term: string) => dictionary.find(term) !== undefined;
  let from = 0;
  let to = dictionary.size;
  if (lower !== undefined) {
    from = dictionary.rankOf(lower.value) + (!lower.inclusive && has(lower.value) ? 1 : 0);
  }
  if (upper !== undefined) {
    to = dictionary.rankOf(upper.value) + (upper.inclusive && has(upper.value) ? 1 : 0);
  }
  if (from >= to) return NO_DOCUMENT;
  return codesNode(index, dictionary.inOrder().subarray(from, to), boost, scope);
}
