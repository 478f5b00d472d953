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

/** Can't both hold? */
export function contradict(a: Literal, b: Literal): boolean {
  if (!a.allows && !b.allows) return false;
  const [base, other] = a.allows ? [a.values, b.values] : [b.values, a.values];
  const isShared = a.allows === b.allows;
  let j = 0;
  for (let i = 0; i < base.length; i++) {
    const value = base[i] as number;
    while (j < other.length && (other[j] as number) < value) j++;
    if ((other[j] === value) === isShared) return false;
  }
  return true;
}

/** A number for hash tables; equal literals have equal ones. */
export function hashOf({ slot, allows, values }: Literal): number {
  let hash = Math.imul(slot + 1, 0x9e3779b1) ^ (allows ? 0x5bd1e995 : 0);
  for (let i = 0; i < values.length; i++) {
    hash = Math.imul(hash ^ (values[i] as number), 0x85ebca6b) ^ (hash >>> 13);
  }
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

/** Ascending, each once. */
export function sortedNumbers(numbers: number[]): readonly number[] {
  let isSorted = true;
  for (let i = 1; i < numbers.length && isSorted; i++) {
    isSorted = (numbers[i] as number) > (numbers[i - 1] as number);
  }
  if (isSorted) return numbers;
  // Typed arrays are sorted without a function that compares.
  const sorted = Int32Array.from(numbers).sort();
  const result: number[] = [];
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[i - 1]) result.push(sorted[i] as number);
  }
  return result;
}

/** All of one slot hold. */
export function conjoinAll(literals: readonly Literal[]): Literal | 'nothing' {
  const [first, second] = literals;
  if (first === undefined) throw new RangeError('nothing to conjoin');
  if (second === undefined) return first;
  const { slot } = first;
  const allowed = literals.filter(({ allows }) => allows);
  const excluded = literals.filter(({ allows }) => !allows);
  const out = excluded.length === 0 ? [] : unitedAll(excluded);
  if (allowed.length === 0) return { slot, allows: false, values: out };
  const within = sharedByAll(allowed);
  const values = out.length === 0 ? within : kept(within, out, false);
  return values.length === 0 ? 'nothing' : { slot, allows: true, values };
}

/** At least one of one slot holds. */
export function uniteAll(literals: readonly Literal[]): Literal | 'everything' {
  if (literals.length === 1) return literals[0] as Literal;
  const denied = conjoinAll(literals.map(negate));
  return denied === 'nothing' ? 'everything' : negate(denied);
}

function unitedAll(literals: readonly Literal[]): readonly number[] {
  if (literals.length === 1) return (literals[0] as Literal).values;
  const all: number[] = [];
  for (const { values } of literals) for (let i = 0; i < values.length; i++) all.push(values[i] as number); // prettier-ignore
  return sortedNumbers(all);
}

function sharedByAll(literals: readonly Literal[]): readonly number[] {
  let shared = (literals[0] as Literal).values;
  for (let i = 1; i < literals.length && shared.length > 0; i++) {
    shared = kept(shared, (literals[i] as Literal).values, true);
  }
  return shared;
}
