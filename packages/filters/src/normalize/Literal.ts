/**
 * What a clause demands of one slot: one of some values, or none of them. Slots and values are numbers of a
 * `LeafTable`: a field's value lists share a slot, so that a clause holds one of them at most; every other condition is
 * a slot of its own with the one value 0, which its negation excludes.
 */
export interface Literal {
  readonly slot: number;
  /** True: the value is one of these. False: it is none of them. */
  readonly allows: boolean;
  /** Ascending. */
  readonly values: readonly number[];
}

/** Holds where the literal does not. */
export function negate({ slot, allows, values }: Literal): Literal {
  return { slot, allows: !allows, values };
}

export function areEqual(a: Literal, b: Literal): boolean {
  if (a === b) return true;
  if (a.slot !== b.slot || a.allows !== b.allows || a.values.length !== b.values.length)
    return false;
  for (let i = 0; i < a.values.length; i++) if (a.values[i] !== b.values[i]) return false;
  return true;
}

/** Both hold. */
export function conjoin(a: Literal, b: Literal): Literal | 'nothing' {
  if (a === b) return a;
  const { slot } = a;
  if (!a.allows && !b.allows) return { slot, allows: false, values: united(a.values, b.values) };
  const [base, other] = a.allows ? [a, b] : [b, a];
  const values = kept(base.values, other.values, other.allows);
  return values.length === 0 ? 'nothing' : { slot, allows: true, values };
}

/** At least one holds. */
export function unite(a: Literal, b: Literal): Literal | 'everything' {
  if (a === b) return a;
  const { slot } = a;
  if (a.allows && b.allows) return { slot, allows: true, values: united(a.values, b.values) };
  const [base, other] = a.allows ? [b, a] : [a, b];
  const values = kept(base.values, other.values, !other.allows);
  return values.length === 0 ? 'everything' : { slot, allows: false, values };
}

/** A number for hash tables; equal literals have equal ones. */
export function hashOf({ slot, allows, values }: Literal): number {
  let hash = Math.imul(slot + 1, 0x9e3779b1) ^ (allows ? 0x5bd1e995 : 0);
  for (const value of values) hash = Math.imul(hash ^ value, 0x85ebca6b) ^ (hash >>> 13);
  return hash;
}

function united(a: readonly number[], b: readonly number[]): readonly number[] {
  const result: number[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const [x = Infinity, y = Infinity] = [a[i], b[j]];
    result.push(Math.min(x, y));
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return result;
}

/** The values that the other list has (`shared`), or has not. */
function kept(
  values: readonly number[],
  other: readonly number[],
  shared: boolean,
): readonly number[] {
  const result: number[] = [];
  let j = 0;
  for (const value of values) {
    while (j < other.length && (other[j] as number) < value) j++;
    if ((other[j] === value) === shared) result.push(value);
  }
  return result;
}
