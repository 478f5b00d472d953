import { describe, expect, it } from 'vitest';
import { Queue } from './Queue.js';

describe('Queue', () => {
  it('gives its items in order, however they come and go', () => {
    const queue = new Queue<number>();
    const model: number[] = [];
    let last = 0;
    // More are added than taken at first, then the other way round.
    for (let step = 0; step < 6_000; step++) {
      if (step % 3 === 0 || step < 2_500) {
        queue.push(++last);
        model.push(last);
      }
      if (step % 4 !== 0) expect(queue.take()).toBe(model.shift());
      expect([queue.size, queue.first]).toEqual([model.length, model[0]]);
    }
    expect([...queue]).toEqual(model);
  });

  it('deletes an item, and is empty after it is cleared', () => {
    const queue = new Queue<string>();
    for (const item of ['a', 'b', 'c', 'd']) queue.push(item);
    queue.take();
    expect([queue.delete('c'), queue.delete('a'), [...queue]]).toEqual([true, false, ['b', 'd']]);
    queue.clear();
    expect([queue.size, queue.first, queue.take()]).toEqual([0, undefined, undefined]);
  });
});
