import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '@millrace/kernel';
import type { FollowedResult } from './FollowedResult.js';
import { FollowView } from './FollowView.js';

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
});
