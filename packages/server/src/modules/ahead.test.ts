import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dropWriter, startAhead, takeWriter } from './ahead.js';

const taken: Worker[] = [];

function take(): Worker | undefined {
  const worker = takeWriter();
  if (worker !== undefined) taken.push(worker);
  return worker;
}

afterEach(async () => {
  vi.unstubAllEnvs();
  dropWriter();
  await Promise.all(taken.splice(0).map((worker) => worker.terminate()));
});

describe('the writer of a server that is about to be loaded', () => {
  it.each([[], ['--http.port', '0'], ['--plugins', './x.js']])(
    'starts with the arguments %j %j, and is taken once',
    (...args) => {
      startAhead(args);
      expect(take()).toBeDefined();
      expect(take()).toBeUndefined();
    },
  );

  it.each([
    ['doctor'],
    ['backup', '--help'],
    ['--help'],
    ['--version'],
    ['-h'],
    ['--storage.engine', 'elasticsearch'],
    ['--storage.engine=elasticsearch'],
  ])('does not start with the arguments %j %j', (...args) => {
    startAhead(args);
    expect(take()).toBeUndefined();
  });

  it('does not start if the environment names an engine', () => {
    vi.stubEnv('MILLRACE_STORAGE_ENGINE', 'elasticsearch');
    startAhead([]);
    expect(take()).toBeUndefined();
  });

  it('opens the database that it is given, however late', async () => {
    startAhead([]);
    const worker = take() as Worker;
    await once(worker, 'online');
    worker.postMessage({ databaseFile: '/absent/folder/data.db', history: {}, marks: [] });
    const [message] = (await once(worker, 'message')) as [{ type: string }];
    expect(message.type).toBe('unusable');
  });

  it('ends if no engine takes it', () => {
    startAhead([]);
    dropWriter();
    expect(take()).toBeUndefined();
  });
});
