import { tooComplex } from '../FilterError.js';
import { UNPACED } from '../Steps.js';
import type { Pace } from '../Pace.js';
import type { Clause } from './Clause.js';
import type { Literal } from './Literal.js';

/** Bounds the work of one normalisation, so that no filter holds the event loop, accepted or refused. */
export class WorkBudget {
  private left: number;
  private told: number;

  /**
   * @param units roughly literals and values touched, some 10 ns each
   * @param pace of the steps that the work is done in
   */
  constructor(
    units: number,
    private readonly pace: Pace = UNPACED,
  ) {
    this.left = this.told = units;
  }

  /** Is it time to give way? @param more units of work that the budget does not count */
  isDue(more = 0): boolean {
    const units = this.told - this.left + more;
    this.told = this.left;
    return this.pace.isDue(units);
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
