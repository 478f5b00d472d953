import { describe, expect, it } from 'vitest';
import { DueQueue } from './DueQueue.js';

describe('DueQueue', () => {
  it('gives items in the order of their times, and none before it is due', () => {
    const queue = new DueQueue<string>();
    const times = Array.from({ length: 500 }, (_, at) => (at * 7919) % 1009);
    for (const dueMs of times) queue.push(dueMs, `k${dueMs}`);
    expect(queue.nextMs).toBe(Math.min(...times));
    const taken: number[] = [];
    for (let due = queue.takeDue(700); due !== undefined; due = queue.takeDue(700)) taken.push(due.dueMs);
    expect(taken).toEqual(times.filter((dueMs) => dueMs <= 700).sort((left, right) => left - right));
    queue.retain(({ dueMs }) => dueMs > 1000);
    expect(queue.size).toBe(times.filter((dueMs) => dueMs > 1000).length);
    expect(queue.takeDue(1000)).toBe(undefined);
    queue.clear();
    expect([queue.size, queue.nextMs, queue.takeDue(Infinity)]).toEqual([0, undefined, undefined]);
  });
});
