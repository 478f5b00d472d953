import { tooComplex } from '../FilterError.js';
import type { Clause } from './Clause.js';
import type { Literal } from './Literal.js';

/** Bounds the work of one normalisation, so that no filter holds the event loop, accepted or refused. */
export class WorkBudget {
  private left: number;

  /** @param units roughly literals and values touched, some 10 ns each */
  constructor(units: number) {
    this.left = units;
  }

  /** @throws FilterError when the budget is spent */
  spend(units: number): void {
    this.left -= units;
    if (this.left < 0) throw tooComplex('too many combinations of conditions to normalise');
  }

  spendOn({ literals }: Clause): void {
    let units = 2;
    for (let i = 0; i < literals.length; i++) {
      units += 1 + ((literals[i] as Literal).values.length >> 2);
    }
    this.spend(units);
  }
}
