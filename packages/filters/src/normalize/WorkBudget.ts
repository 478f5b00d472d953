import { tooComplex } from '../FilterError.js';
import { weigh } from './Literal.js';
import type { Clause } from './Clause.js';

/** Bounds the work of one normalisation, so that no filter holds the event loop, accepted or refused. */
export class WorkBudget {
  private left: number;

  /** @param units roughly literals and values touched */
  constructor(units: number) {
    this.left = units;
  }

  /** @throws FilterError when the budget is spent */
  spend(units: number): void {
    this.left -= units;
    if (this.left < 0) throw tooComplex('too many combinations of conditions to normalise');
  }

  spendOn(...clauses: readonly Clause[]): void {
    for (const { literals } of clauses) {
      let units = 1;
      for (const literal of literals.values()) units += weigh(literal);
      this.spend(units);
    }
  }
}
