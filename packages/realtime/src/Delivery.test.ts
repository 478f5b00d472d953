import { describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '@millrace/kernel';
import { getHeapStatistics } from 'node:v8';
import { Delivery } from './Delivery.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('Delivery', () => {
  it('runs work in order, at once where nothing waits', () => {
    const delivery = new Delivery(new Map(), systemClock, silentLogger);
    const done: number[] = [];
    delivery.inOrder(() => void done.push(1));
    expect(done).toEqual([1]);
  });

  it('is full once what waits takes an eighth of the heap, until it is delivered', async () => {
    const delivery = new Delivery(new Map(), systemClock, silentLogger);
    const text = 'x'.repeat(2 ** 23);
    const limit = getHeapStatistics().heap_size_limit / 8;
    let [wasFullEarly, wasFull] = [false, false];
    delivery.inOrder(() => {
      // Each entry counts a few bytes more than its string.
      for (let bytes = text.length; bytes < limit - text.length; bytes += text.length) {
        delivery.inOrder(() => undefined, { text });
        wasFullEarly ||= delivery.isFull;
      }
      for (let n = 0; n < 3; n++) delivery.inOrder(() => undefined, { text });
      wasFull = delivery.isFull;
    });
    expect([wasFullEarly, wasFull]).toEqual([false, true]);
    while (delivery.waitingCount > 0) await turn();
    expect(delivery.isFull).toBe(false);
  });
});
