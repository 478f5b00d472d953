import { Pace } from './Pace.js';

/** Work that gives way between its steps: call `next` until it is done, which gives the result; `return` gives it up. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Work in one go: for `Steps` that ask this pace. */
export const UNPACED = new Pace();

/** Is it work to be done in steps, no result? */
export function isSteps<T extends object>(value: T | Steps<T>): value is Steps<T> {
  return 'next' in value;
}

/** Takes all steps. */
export function takeAll<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Steps of so many milliseconds each, and a little more. @param begin makes them for the pace it is given */
export function* paced<T>(stepMs: number, begin: (pace: Pace) => Steps<T>): Steps<T> {
  const pace = new Pace(stepMs);
  const steps = begin(pace);
  for (;;) {
    pace.begin();
    const step = steps.next();
    if (step.done === true) return step.value;
    yield;
  }
}
