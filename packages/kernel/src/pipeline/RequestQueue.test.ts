import { expect, it } from 'vitest';
import type { Request } from '../contracts/request/Request.js';
import { RequestQueue } from './RequestQueue.js';

const request = {
  user: { _id: 'ann' },
  connection: { id: 'c1', remoteAddress: '192.0.2.1' },
} as unknown as Request;

it('RequestQueue runs waiting requests once its limit has increased', async () => {
  let limit = 1;
  const queue = new RequestQueue(() => limit, 10);
  expect(await queue.wait(request)).toBe('run');
  const waiting = [1, 2, 3].map(() => queue.wait(request));
  expect(queue.waitingCount).toBe(3);
  queue.admitWaiting();
  expect(queue.waitingCount).toBe(3);
  limit = 3;
  queue.admitWaiting();
  expect(await Promise.all(waiting.slice(0, 2))).toEqual(['run', 'run']);
  expect([queue.runningCount, queue.waitingCount]).toEqual([3, 1]);
});
