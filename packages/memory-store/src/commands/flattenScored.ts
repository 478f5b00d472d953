import { formatDouble } from '../embedded/formatDouble.js';
import type { Scored } from '../embedded/values/SortedSet.js';
import { eachInSteps, type Steps } from '../steps/Steps.js';

/** Member, score, member, score… */
export function* flattenScored(scored: Iterable<Scored>): Steps<string[]> {
  const flat: string[] = [];
  yield* eachInSteps(scored, ({ member, score }) => void flat.push(member, formatDouble(score)));
  return flat;
}
