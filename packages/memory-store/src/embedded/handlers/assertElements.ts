import { memoryErrors } from '@millrace/kernel';

/**
 * Elements that one command may go through, by how much work one is: about a quarter of a second together, in slices
 * (measured in decision 0014).
 */
export const MAX_ELEMENTS = 1_000_000;
/** Elements that are looked up in sets, or put into another one. */
export const MAX_COMBINED_ELEMENTS = 500_000;
/** Elements that are sorted, or put into a sorted set. */
export const MAX_SORTED_ELEMENTS = 250_000;
/** Keys that are compared with a pattern. */
export const MAX_MATCHED_KEYS = 4_000_000;

/** @throws memory.command_too_large */
export function assertElements(count: number, limit = MAX_ELEMENTS): void {
  if (count > limit) throw memoryErrors.command_too_large({ amount: count, limit, unit: 'elements' }); // prettier-ignore
}
