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
    if (this.clauses.length > 0 && this.isKnown(clause)) return;
    this.byHash?.set(clause.hash, this.withHash(clause));
    this.clauses.push(clause);
  }

  private isKnown(clause: Clause): boolean {
    this.byHash ??= new Map(this.clauses.map((each) => [each.hash, each]));
    const known = this.byHash.get(clause.hash);
    if (known === undefined) return false;
    if (!Array.isArray(known)) return areEqualClauses(known, clause);
    return known.some((each) => areEqualClauses(each, clause));
  }

  private withHash(clause: Clause): Clause | Clause[] {
    const known = this.byHash?.get(clause.hash);
    if (known === undefined) return clause;
    return Array.isArray(known) ? [...known, clause] : [known, clause];
  }
}
