/** Work of some 50 ns each, once the code is warm, between two looks at the clock. */
const UNITS_PER_LOOK = 64;

/**
 * Tells work that is done in steps (`Steps`) when to give way. A look at the clock costs as much as a unit of the work,
 * so units are counted first.
 */
export class Pace {
  private readonly unitsPerLook: number;
  private left: number;
  private endMs = Infinity;

  /** @param stepMs how long a step may take; without it none ever ends, with 0 each as soon as it can */
  constructor(private readonly stepMs = Infinity) {
    this.left = this.unitsPerLook = stepMs > 0 ? UNITS_PER_LOOK : 0;
  }

  /** A step begins. */
  begin(): void {
    if (this.stepMs !== Infinity) this.endMs = performance.now() + this.stepMs;
  }

  /** Is it time to give way? @param units of work since it was asked last */
  isDue(units: number): boolean {
    this.left -= units;
    if (this.left > 0) return false;
    this.left = this.unitsPerLook;
    return this.endMs !== Infinity && performance.now() >= this.endMs;
  }
}
