import type { ChangeLog, CollectionName, Cursor, LoggedChange, LoggedWipe, NetChange, Replay } from '@millrace/kernel';
import { expect } from '../runner/expect.js';

/** A random write. */
export interface Step {
  readonly cursor: Cursor;
  /** As `showChange`. */
  readonly line: string;
  /** All documents after it. */
  readonly state: ReadonlyMap<string, number>;
}

/** A log, and how its collection is written. */
export interface RandomlyWritten {
  readonly log: ChangeLog;
  put(id: string, n: number): Promise<void>;
  remove(id: string): Promise<void>;
  truncate(name: CollectionName): Promise<unknown>;
}

/** Writes to a collection. @returns every write with the state that it should lead to, preceded by the state before */
export async function writeRandomly(
  name: CollectionName,
  { log, put, remove, truncate }: RandomlyWritten,
  seed: number,
): Promise<readonly Step[]> {
  let random32 = seed * 2_654_435_761;
  const random = (limit: number) => {
    random32 = (Math.imul(random32, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((random32 / 2 ** 32) * limit);
  };
  let state = new Map<string, number>();
  const steps: Step[] = [{ cursor: await log.head(), line: '', state }];
  for (let n = 1; n <= 80; n += 1) {
    state = new Map(state);
    const id = `d${random(6)}`;
    const before = state.get(id);
    let line = 'wiped';
    if (state.size > 0 && random(30) === 0) {
      await truncate(name);
      state.clear();
    } else {
      const isDeletion = before !== undefined && random(3) === 0;
      await (isDeletion ? remove(id) : put(id, n));
      if (isDeletion) state.delete(id);
      else state.set(id, n);
      line = `${id}: ${before ?? '-'} → ${state.get(id) ?? '-'}`;
    }
    steps.push({ cursor: await log.head(), line, state });
  }
  return steps;
}

/** @throws Error for a gap */
export function read<Change>(replay: Replay<Change>): Extract<Replay<Change>, { readonly head: Cursor }> {
  if ('gap' in replay) throw new Error(`not replayed: ${replay.gap}`);
  return replay;
}

/** The state after net changes, sorted. */
export function fold(
  from: ReadonlyMap<string, number>,
  changes: readonly NetChange[],
): readonly (readonly [string, number])[] {
  const folded = new Map(from);
  for (const { id, before, after } of changes) {
    expect(before?.source['n']).toBe(from.get(id));
    if (after === null) folded.delete(id);
    else folded.set(id, Number(after.source['n']));
  }
  return [...folded].sort();
}

/** A change as `id: before → after`. */
export function showChange(change: LoggedChange | LoggedWipe): string {
  if (change.kind === 'wiped') return 'wiped';
  const { id, before, after } = change;
  const [old, now] = [before, after].map((image) => JSON.stringify(image?.source['n'] ?? '-'));
  return `${id}: ${old} → ${now}`.replaceAll('"', '');
}
