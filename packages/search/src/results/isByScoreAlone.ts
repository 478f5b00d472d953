import type { Sort } from '@millrace/query';

/** Whether a sort is the order that hits have without one. */
export function isByScoreAlone(sort: readonly Sort[]): boolean {
  const [only, second] = sort;
  return only?.kind === 'score' && only.order === 'desc' && second === undefined;
}
