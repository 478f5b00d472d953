import { formatDouble } from '../formatDouble.js';
import type { Scored } from '../values/SortedSet.js';

/** Member, score, member, score… */
export function flattenScored(scored: readonly Scored[]): string[] {
  return scored.flatMap(({ member, score }) => [member, formatDouble(score)]);
}
