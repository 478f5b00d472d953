import { memoryErrors } from '@millrace/kernel';

/**
 * Maximum numbers of elements that one command may process, by the work per element: about a quarter of a second in
 * total, in slices (measured in decision 0014).
 */
export const MAX_ELEMENTS = 1_000_000;
/** For elements that are looked up in sets, or added to another one. */
export const MAX_COMBINED_ELEMENTS = 500_000;
/** For elements that are sorted, or added to a sorted set. */
export const MAX_SORTED_ELEMENTS = 250_000;
/** For keys that are compared with a pattern. */
export const MAX_MATCHED_KEYS = 4_000_000;

/** @throws memory.command_too_large */
export function assertElements(count: number, limit = MAX_ELEMENTS): void {
  if (count > limit) throw memoryErrors.command_too_large({ amount: count, limit, unit: 'elements' });
}
