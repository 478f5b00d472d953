import { expect, it, vi } from 'vitest';
import { IndexingAhead } from './IndexingAhead.js';

const MANY = 100_000;

it('a collection begins to be indexed while it is filled, once its new documents are many', () => {
  const index = vi.fn(() => Promise.resolve());
  const ahead = new IndexingAhead(index);
  for (let n = 1; n < MANY; n++) ahead.written(7);
  expect(index).not.toHaveBeenCalled();
  ahead.written(7);
  ahead.written(7);
  expect(index.mock.calls).toEqual([[7]]);
  ahead.stop();
});

it('a smaller collection is indexed once its writes have paused', () => {
  vi.useFakeTimers();
  const index = vi.fn(() => Promise.resolve());
  const ahead = new IndexingAhead(index);
  for (let n = 0; n < 10_000; n++) ahead.written(7);
  for (let n = 0; n < 9_999; n++) ahead.written(8);
  vi.advanceTimersByTime(1_900);
  expect(index).not.toHaveBeenCalled();
  vi.advanceTimersByTime(4_000);
  expect(index.mock.calls).toEqual([[7]]);
  ahead.stop();
  vi.useRealTimers();
});
