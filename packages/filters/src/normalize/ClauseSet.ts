import { areEqualClauses, type Clause } from './Clause.js';

/** A disjunction of clauses, each once: none is *nothing*; an empty clause makes it *everything*. */
export class ClauseSet {
  readonly clauses: Clause[] = [];
  private byHash: Map<number, Clause | Clause[]> | undefined;

  static of(...clauses: readonly Clause[]): ClauseSet {
    const set = new ClauseSet();
    for (const clause of clauses) set.add(clause);
    return set;
  }

  get size(): number {
    return this.clauses.length;
  }

  add(clause: Clause): void {
    const [first] = this.clauses;
    if (first !== undefined) {
      this.byHash ??= new Map([[first.hash, first]]);
      const known = this.byHash.get(clause.hash);
      if (known === undefined) this.byHash.set(clause.hash, clause);
      else if (Array.isArray(known)) {
        if (known.some((each) => areEqualClauses(each, clause))) return;
        known.push(clause);
      } else {
        if (areEqualClauses(known, clause)) return;
        this.byHash.set(clause.hash, [known, clause]);
      }
    }
    this.clauses.push(clause);
  }
}
