import { unite, type Literal } from './Literal.js';

/** At least one of the literals of one slot holds. Halves the list, so that many values are not copied one by one. */
export function uniteAll(literals: readonly Literal[]): Literal | 'everything' {
  const [first, second] = literals;
  if (first === undefined) throw new RangeError('nothing to unite');
  if (second === undefined) return first;
  const middle = literals.length >> 1;
  const left = uniteAll(literals.slice(0, middle));
  if (left === 'everything') return left;
  const right = uniteAll(literals.slice(middle));
  if (right === 'everything') return right;
  const both = unite(left, right);
  // Two literals of one slot never unite to nothing.
  return both === 'nothing' ? 'everything' : both;
}
