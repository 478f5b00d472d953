import type { MatchChange } from '@millrace/filters';

/** Adds the rooms that a document is in by their queries, before and after a change, to those found by filters. */
export function joinChanges(
  { entered, stayed, left }: MatchChange,
  before: readonly string[],
  after: readonly string[],
): MatchChange {
  if (before.length === 0) return { entered: [...entered, ...after], stayed, left };
  if (after.length === 0) return { entered, stayed, left: [...left, ...before] };
  const [was, is] = [new Set(before), new Set(after)];
  return {
    entered: [...entered, ...after.filter((id) => !was.has(id))],
    stayed: [...stayed, ...after.filter((id) => was.has(id))],
    left: [...left, ...before.filter((id) => !is.has(id))],
  };
}
