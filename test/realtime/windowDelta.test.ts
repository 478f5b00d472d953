import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import type { Delta, WireResult } from '../../packages/client/src/follow/Delta.js';
import { foldDelta } from '../../packages/client/src/follow/foldDelta.js';
import { windowCheck } from '../../packages/realtime/src/follow/windowCheck.js';
import { windowDelta, type WindowDelta } from '../../packages/realtime/src/follow/windowDelta.js';
import type { FollowedResult } from '../../packages/realtime/src/follow/FollowedResult.js';

function result(cursor: string, ids: readonly string[], version: (id: string) => number, aggregations: JsonObject | null): FollowedResult {
  const hits = ids.map((id) => ({ id, version: version(id), json: JSON.stringify({ _id: id, _version: version(id) }) }));
  return { cursor, hits, total: ids.length, aggregations, bytes: 0 };
} // prettier-ignore

function folded({ cursor, hits, total, aggregations }: FollowedResult): WireResult {
  const parsed = hits.map(({ json }) => JSON.parse(json) as WireResult['hits'][number]);
  return { cursor, hits: parsed, total, aggregations };
}

/** Numbers from 0 to below 1, the same ones for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled(ids: readonly string[], random: () => number): string[] {
  return ids
    .map((id) => ({ id, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ id }) => id);
}

function read(delta: WindowDelta | undefined): Delta | undefined {
  return delta && (JSON.parse(delta.json) as Delta);
}

describe('windowDelta (FOLLOW-5)', () => {
  it('gives nothing between equal results', () => {
    const same = () => result('a', ['1', '2'], () => 1, { by: { buckets: [{ key: 'x' }] } });
    expect(windowDelta(same(), same())).toBeUndefined();
  });

  it('moves one hit where one has moved', () => {
    const before = result('a', ['1', '2', '3', '4'], () => 1, null);
    const after = result('b', ['2', '3', '4', '1'], () => 1, null);
    const changes = read(windowDelta(before, after))?.changes;
    expect(changes).toEqual([{ op: 'move', id: '1', at: 3, hit: { _id: '1', _version: 1 } }]);
  });

  it('leads from any result to any other (FOLLOW-6: with the check of the result)', () => {
    const random = randomFrom(7);
    const names = Array.from({ length: 12 }, (_, n) => `d${n}`);
    const versions = new Map<string, number>();
    const version = (id: string) => versions.get(id) ?? 1;
    const draw = (cursor: string) => {
      for (const id of names) if (random() < 0.2) versions.set(id, version(id) + 1);
      // Half of the windows are alike at the start and the end.
      const order = random() < 0.5 ? shuffled(names, random) : names;
      const ids = order.filter(() => random() < 0.7);
      const buckets = ids.slice(0, 3).map((key, n) => ({ key, doc_count: n }));
      const aggregations = random() < 0.1 ? null : { 'a/b~c': { buckets }, sum: { value: ids.length } };
      return result(cursor, ids, version, aggregations);
    };
    let known = draw('0');
    for (let n = 1; n <= 2_000; n++) {
      const next = draw(String(n));
      const delta = read(windowDelta(known, next));
      if (delta === undefined) continue;
      expect(delta.base).toBe(known.cursor);
      expect(foldDelta(folded(known), delta)).toEqual(folded(next));
      expect(delta.check).toBe(windowCheck(next.hits));
      known = next;
    }
  });
});

describe('windowCheck (FOLLOW-6)', () => {
  it('depends on ids, versions and order', () => {
    const [a, b] = [
      { id: 'a', version: 1 },
      { id: 'b', version: 2 },
    ];
    // FNV-1a of no bytes is its offset basis; of "a 1\n" computed by hand with the definition.
    expect(windowCheck([])).toBe('811c9dc5');
    expect(windowCheck([a, b])).not.toBe(windowCheck([b, a]));
    expect(windowCheck([a])).not.toBe(windowCheck([{ id: 'a', version: 2 }]));
  });
});
