import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SOLE_NODE, type DocumentChange } from '@millrace/kernel';
import { ChangeOrder } from './ChangeOrder.js';

const AT = { index: 'shop', collection: 'things' };
const origin = { requestId: 'r', metadata: {} };

function change(version: number, more: Partial<DocumentChange> = {}): DocumentChange {
  const before = version === 1 ? null : { v: version - 1 };
  const metadata = { metaBefore: null, metaAfter: null };
  const after = { v: version };
  return { ...AT, id: 'd', sequence: 1, before, after, ...metadata, version, origin, ...more };
}
const removal = (version: number) => change(version, { before: { v: version }, after: null });

describe('the order of changes of one document from several nodes (PROTO-85)', () => {
  let order: ChangeOrder;
  let told: string[];
  let gapCount: number;
  const pass = (each: DocumentChange) =>
    order.pass(each, () => told.push(each.after === null ? `-${each.version}` : `${each.version}`));

  beforeEach(() => {
    vi.useFakeTimers();
    const clock = { nowMs: () => Date.now(), monotonicMs: () => Date.now() };
    order = new ChangeOrder({ ...SOLE_NODE, hasOthers: () => true }, clock);
    order.tell(() => gapCount++);
    told = [];
    gapCount = 0;
  });
  afterEach(() => vi.useRealTimers());

  it('is that of versions, whichever comes first', () => {
    for (const version of [1, 3, 4, 2]) pass(change(version));
    expect(told).toEqual(['1', '2', '3', '4']);
    pass(removal(5));
    expect(told).toHaveLength(4);
    pass(change(5));
    expect(told).toEqual(['1', '2', '3', '4', '5', '-5']);
    expect(gapCount).toBe(0);
  });

  it('holds for a document that is removed and made again', () => {
    pass(change(1));
    pass(change(1, { after: { again: true } }));
    expect(told).toEqual(['1']);
    pass(removal(1));
    expect(told).toEqual(['1', '-1', '1']);
  });

  it('lets creations through at once, and an update of an unknown document after a moment', () => {
    pass(change(8));
    expect(told).toEqual([]);
    pass(change(7));
    vi.advanceTimersByTime(20);
    expect(told).toEqual(['7', '8']);
    pass(change(9));
    expect(told).toEqual(['7', '8', '9']);
  });

  it('waits a little for what may never come, such as a silent write, without calling it a gap', () => {
    pass(change(1));
    pass(change(3));
    vi.advanceTimersByTime(50);
    expect(told).toEqual(['1']);
    vi.advanceTimersByTime(100);
    expect(told).toEqual(['1', '3']);
    expect(gapCount).toBe(0);
  });

  it('reports a gap if a change comes too late to be delivered (PROTO-89)', () => {
    pass(change(1));
    pass(change(3));
    vi.advanceTimersByTime(200);
    pass(change(2));
    expect(told).toEqual(['1', '3']);
    expect(gapCount).toBe(1);
  });

  it('lets everything through at once where there are no others', () => {
    order = new ChangeOrder(SOLE_NODE, { nowMs: () => 0, monotonicMs: () => 0 });
    for (const version of [3, 1, 2]) pass(change(version));
    expect(told).toEqual(['3', '1', '2']);
  });
});
