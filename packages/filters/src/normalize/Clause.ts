import { areEqual, conjoin, hashOf, type Literal } from './Literal.js';

/** A conjunction: one literal per slot at most, by ascending slot. Without literals it is always true. */
export interface Clause {
  readonly literals: readonly Literal[];
  readonly hash: number;
}

export function toClause(literals: readonly Literal[]): Clause {
  let hash = 0;
  for (let i = 0; i < literals.length; i++) {
    hash = (Math.imul(hash, 31) + hashOf(literals[i] as Literal)) | 0;
  }
  return { literals, hash };
}

/** Both clauses hold. @returns undefined where they contradict each other */
export function conjoinClauses(a: Clause, b: Clause): Clause | undefined {
  if (a.literals.length === 0) return b;
  if (b.literals.length === 0) return a;
  const literals: Literal[] = [];
  for (let i = 0, j = 0; i < a.literals.length || j < b.literals.length;) {
    const x = a.literals[i];
    const y = b.literals[j];
    if (y === undefined || (x !== undefined && x.slot < y.slot)) {
      if (x !== undefined) literals.push(x);
      i++;
    } else if (x === undefined || y.slot < x.slot) {
      literals.push(y);
      j++;
    } else {
      const both = conjoin(x, y);
      if (both === 'nothing') return undefined;
      literals.push(both);
      i++;
      j++;
    }
  }
  return toClause(literals);
}

export function areEqualClauses(a: Clause, b: Clause): boolean {
  if (a === b) return true;
  if (a.hash !== b.hash || a.literals.length !== b.literals.length) return false;
  for (let i = 0; i < a.literals.length; i++) {
    const x = a.literals[i];
    const y = b.literals[i];
    if (x === undefined || y === undefined || !areEqual(x, y)) return false;
  }
  return true;
}
