import { describe, expect, it } from 'vitest';
import { ExpiryQueue } from './ExpiryQueue.js';

describe('ExpiryQueue', () => {
  it('gives keys in the order of their times, and none before it is due', () => {
    const queue = new ExpiryQueue();
    const times = Array.from({ length: 500 }, (_, at) => (at * 7919) % 1009);
    for (const atMs of times) queue.push(atMs, `k${atMs}`);
    const taken: number[] = [];
    for (let due = queue.takeDue(700); due !== undefined; due = queue.takeDue(700))
      taken.push(due.atMs);
    expect(taken).toEqual(times.filter((atMs) => atMs <= 700).sort((left, right) => left - right));
    queue.keep(({ atMs }) => atMs > 1000);
    expect(queue.length).toBe(times.filter((atMs) => atMs > 1000).length);
    expect(queue.takeDue(1000)).toBe(undefined);
  });
});
