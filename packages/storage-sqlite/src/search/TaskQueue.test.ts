import { Lifetime } from '@millrace/kernel';
import { parseSearch } from '@millrace/query';
import { beforeEach, describe, expect, it } from 'vitest';
import { CancelFlags } from './CancelFlags.js';
import type { SearchTask } from './SearchMessages.js';
import { SearchWindow } from './SearchWindow.js';
import { TaskQueue } from './TaskQueue.js';

const { query } = parseSearch({});
const client = new Lifetime();

describe('TaskQueue', () => {
  let sent: number[];
  let queue: TaskQueue;
  let size: number;

  beforeEach(() => {
    sent = [];
    const window = new SearchWindow();
    size = window.size;
    queue = new TaskQueue(new CancelFlags(), window, (_, task) => {
      sent.push((task as { collectionNumber: number }).collectionNumber);
    });
  });

  const run = (collectionNumber: number, owner?: Lifetime) => {
    const task: SearchTask = { type: 'count', collectionNumber, query };
    return queue.run(task, owner);
  };

  it('sends another task for each one that waits for an index, as long as it waits', async () => {
    const results = [0, 1, 2, 3, 4].map((n) => run(n, client));
    expect(sent).toEqual([0, 1, 2].slice(0, size));
    queue.defer(0);
    queue.defer(0);
    expect(sent).toEqual([0, 1, 2, 3]);
    expect(queue.deferredCount).toBe(1);
    queue.succeed(0, 1, { json: '7' });
    expect(await results[0]).toEqual({ json: '7' });
    expect(queue.deferredCount).toBe(0);
    expect(sent).toEqual([0, 1, 2, 3]);
    queue.succeed(1, 1, { json: '8' });
    expect(sent).toEqual([0, 1, 2, 3, 4]);
  });

  it('cancels the tasks of a client that disconnects, waiting or not, and forgets those that ended', async () => {
    const owner = new Lifetime();
    const results = [0, 1, 2, 3].map((n) => run(n, owner));
    queue.succeed(0, 1, { json: '7' });
    expect(await results[0]).toEqual({ json: '7' });
    const waiting = [4, 5].map((n) => run(n, owner));
    owner.close();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ id: 'query.cancelled' });
    await expect(run(6, owner)).rejects.toMatchObject({ id: 'query.cancelled' });
    expect(sent).toEqual([0, 1, 2, 3]);
  });

  it('sends internal tasks although the window is full', () => {
    for (const n of [0, 1, 2, 3]) run(n, client).catch(() => undefined);
    void run(9);
    expect(sent).toEqual([0, 1, 2, 9]);
  });
});
