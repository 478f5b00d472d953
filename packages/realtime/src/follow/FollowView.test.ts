import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock, type DocumentChange, type JsonObject } from '@millrace/kernel';
import { compileMapping, parseMapping } from '@millrace/query';
import { WatchedChange } from '../matching/WatchedChange.js';
import type { FollowedResult } from './FollowedResult.js';
import { FollowView } from './FollowView.js';
import type { KeptResult } from './KeptResult.js';

const EMPTY: FollowedResult = { cursor: '0', hits: [], total: 0, aggregations: null, bytes: 0 };

function changeOf(id: string, after: JsonObject = {}): WatchedChange {
  const change = { index: 'i', collection: 'c', id, kind: 'create', before: null, after };
  return new WatchedChange(change as unknown as DocumentChange, compileMapping(parseMapping({})));
}

describe('FollowView (FOLLOW-9)', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function open(isTimed: boolean) {
    let total = 0;
    let searches = 0;
    const totals: unknown[] = [];
    const view = new FollowView({
      clock: { ...systemClock, monotonicMs: () => performance.now() },
      maxRateMs: 0,
      isTimed,
      search: async (): Promise<FollowedResult> => {
        searches++;
        return { cursor: String(total), hits: [], total, aggregations: null, bytes: 0 };
      },
      runsAgain: () => undefined,
      hasTime: () => true,
      inTurn: (run) => run(),
      publish: ({ json }) => totals.push((JSON.parse(json) as { total: unknown }).total),
      keep: () => undefined,
      refused: () => undefined,
    });
    const change = () => {
      total++;
      view.changed();
    };
    return { view, change, totals, count: () => searches };
  }

  it('searches again after a change, once for all that come in a pause', async () => {
    const { view, change, totals, count } = open(false);
    await view.result();
    change();
    change();
    await vi.advanceTimersByTimeAsync(300);
    expect([totals, count()]).toEqual([[2], 2]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(count()).toBe(2);
  });

  it('searches every minute where the search names the current time, and soon after a change nevertheless', async () => {
    const { view, change, totals, count } = open(true);
    await view.result();
    change();
    await vi.advanceTimersByTimeAsync(300);
    expect([totals, count()]).toEqual([[1], 2]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(count()).toBe(3);
    view.close();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(count()).toBe(3);
  });

  it('counts the changes during a search, and forgets them beyond 4 MiB (FOLLOW-8)', async () => {
    const counted: number[] = [];
    let searches = 0;
    let end: (result: FollowedResult) => void = () => undefined;
    const view = new FollowView({
      clock: { ...systemClock, monotonicMs: () => performance.now() },
      maxRateMs: 0,
      isTimed: false,
      search: () => {
        searches++;
        return new Promise((resolve) => (end = resolve));
      },
      runsAgain: () => undefined,
      hasTime: () => true,
      inTurn: (run) => run(),
      publish: () => undefined,
      keep: (bytes) => void counted.push(bytes),
      refused: () => undefined,
    });
    const change = (n: number) => changeOf(`${n}`, { text: 'x'.repeat(2 ** 19) });
    const result = view.result();
    for (let n = 0; n < 3; n++) view.changed(change(n), 'entered');
    expect(counted.at(-1)).toBeGreaterThan(3 * 2 ** 20);
    for (let n = 3; n < 1_000; n++) view.changed(change(n), 'entered');
    expect(Math.max(...counted)).toBeLessThan(4 * 2 ** 20);
    expect(counted.at(-1)).toBe(0);
    end({ cursor: '1', hits: [], total: 0, aggregations: null, bytes: 7 });
    await result;
    expect(counted.at(-1)).toBe(7);
    await vi.advanceTimersByTimeAsync(300);
    expect(searches).toBe(2);
  });

  it('applies changes later once they have used up the turn of the event loop, and sends one delta for all', async () => {
    const waiting: (() => Promise<void>)[] = [];
    const applied: string[] = [];
    const totals: number[] = [];
    let hasTime = true;
    let searches = 0;
    const kept = {
      apply: ({ change }: WatchedChange) => applied.push(change.id) > 0,
      toResult: (): FollowedResult => ({ ...EMPTY, cursor: `${applied.length}`, total: applied.length }),
    } as unknown as KeptResult;
    const view = new FollowView({
      clock: { ...systemClock, monotonicMs: () => performance.now() },
      maxRateMs: 0,
      isTimed: false,
      search: async () => ({ ...EMPTY, cursor: `${++searches}`, kept }),
      runsAgain: () => undefined,
      hasTime: () => hasTime,
      inTurn: async (run) => void waiting.push(run),
      publish: ({ json }) => totals.push((JSON.parse(json) as { total: number }).total),
      keep: () => undefined,
      refused: () => undefined,
    });
    await view.result();
    view.changed(changeOf('at once'), 'entered');
    expect([applied, totals]).toEqual([['at once'], [1]]);
    hasTime = false;
    view.changed(changeOf('first'), 'entered');
    hasTime = true;
    // Later ones keep their place.
    view.changed(changeOf('second'), 'entered');
    expect([applied, waiting.length]).toEqual([['at once'], 1]);
    vi.useRealTimers();
    await waiting[0]?.();
    expect([applied, totals, searches]).toEqual([['at once', 'first', 'second'], [1, 3], 1]);
  });
});
