import type { Sort } from '@millrace/query';

/** Whether a sort is equivalent to the default order of hits. */
export function isByScoreAlone(sort: readonly Sort[]): boolean {
  const [only, second] = sort;
  return only?.kind === 'score' && only.order === 'desc' && second === undefined;
}
