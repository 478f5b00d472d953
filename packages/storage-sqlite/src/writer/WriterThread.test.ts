import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_HISTORY } from './HistoryOptions.js';
import { CONDITION, WRITE_CODE } from './WriteCode.js';
import type { WriterEntry } from './WriterEntry.js';
import { WriterThread } from './WriterThread.js';

let directory: string;
let thread: WriterThread;
let failures: unknown[];
let recovered: readonly WriterEntry[];

async function createCollection(collection = 'c'): Promise<number> {
  const answer = await thread.submit({
    type: 'createCollection',
    index: 'i',
    collection,
    mapping: '{}',
  });
  if (answer.type !== 'done' || answer.collectionNumber === undefined) throw new Error(JSON.stringify(answer));
  return answer.collectionNumber;
}

function write(
  collectionNumber: number,
  id: string,
  condition: number,
): Promise<readonly [code: number, version: number]> {
  return new Promise((resolve, reject) => {
    thread.write(
      { collectionNumber, id, json: '{}', condition, stamp: '', origin: '' },
      {
        written: (_position, { code, version }) => {
          resolve([code, version]);
        },
        failed: (_position, error) => {
          reject(error);
        },
      },
      0,
    );
  });
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-thread-'));
  failures = [];
  recovered = [];
  thread = new WriterThread({
    databaseFile: join(directory, 'millrace.db'),
    history: DEFAULT_HISTORY,
    internalIndex: '',
    onFailure: (error) => failures.push(error),
    recover: () => recovered,
  });
});

afterEach(async () => {
  await thread.stop();
  rmSync(directory, { recursive: true });
});

describe('WriterThread', () => {
  it('sends the operations of 64 concurrent callers in one message per round', async () => {
    await thread.start();
    const collectionNumber = await createCollection();
    const before = thread.sentMessages;
    const rounds = 10;
    await Promise.all(
      Array.from({ length: 64 }, async (_, caller) => {
        for (let round = 0; round < rounds; round += 1) {
          expect(await write(collectionNumber, `${caller}-${round}`, CONDITION.absent)).toEqual([
            WRITE_CODE.created,
            1,
          ]);
        }
      }),
    );
    expect(thread.sentMessages - before).toBeLessThanOrEqual(rounds * 2);
  });

  it('lets a large batch leave at once when the writer is idle, and waits for the end of the turn when it is not', async () => {
    await thread.start();
    const collectionNumber = await createCollection();
    const before = thread.sentMessages;
    const batch = (name: string) =>
      Array.from({ length: 32 }, (_, n) => write(collectionNumber, `${name}${n}`, CONDITION.absent));
    const first = batch('a');
    thread.nudge();
    expect(thread.sentMessages - before).toBe(1);
    const second = batch('b');
    thread.nudge();
    expect(thread.sentMessages - before).toBe(1);
    await Promise.all([...first, ...second]);
    expect(thread.sentMessages - before).toBe(2);
  });

  it('keeps nothing of a caller that has its answer, however long others wait', async () => {
    await thread.start();
    const collectionNumber = await createCollection();
    const receivers: WeakRef<object>[] = [];
    const operation = { collectionNumber, json: '{}', condition: CONDITION.any, stamp: '' };
    const gc = () => {
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
    };
    // Each write is sent while its predecessor is answered: the queue is never empty.
    const kept = await new Promise((resolve) => {
      const countKept = () => {
        gc();
        const isKept = (receiver: WeakRef<object>) => receiver.deref() !== undefined;
        resolve(receivers.slice(0, -2).filter(isKept).length);
      };
      const send = () => {
        const written = receivers.length < 20 ? send : countKept;
        const receiver = { written, failed: () => undefined };
        receivers.push(new WeakRef(receiver));
        thread.write({ ...operation, id: `d${receivers.length}`, origin: '' }, receiver, 0);
      };
      send();
    });
    expect(kept).toBe(0);
  });

  it('applies operations and other entries in the order they were given', async () => {
    await thread.start();
    const collectionNumber = await createCollection();
    const first = write(collectionNumber, 'a', CONDITION.absent);
    const truncated = thread.submit({ type: 'truncate', collectionNumber });
    const second = write(collectionNumber, 'a', CONDITION.absent);
    const third = write(collectionNumber, 'a', CONDITION.present);
    expect(await Promise.all([first, second, third])).toEqual([
      [WRITE_CODE.created, 1],
      [WRITE_CODE.created, 1],
      [WRITE_CODE.replaced, 2],
    ]);
    expect(await truncated).toMatchObject({ type: 'done', collectionNumber: collectionNumber + 1 });
  });

  it('writes what was submitted before a stop and refuses what comes after', async () => {
    await thread.start();
    const collectionNumber = await createCollection();
    const last = write(collectionNumber, 'a', CONDITION.absent);
    await thread.stop();
    expect(await last).toEqual([WRITE_CODE.created, 1]);
    await expect(write(collectionNumber, 'b', CONDITION.absent)).rejects.toMatchObject({
      id: 'storage.unavailable',
      status: 503,
    });
    await expect(thread.submit({ type: 'ping' })).rejects.toThrow(/stopped/);
  });

  it('fails what a dying worker did not answer, starts another and goes on', async () => {
    await thread.start();
    const collectionNumber = await createCollection();
    await write(collectionNumber, 'a', CONDITION.absent);
    recovered = [{ type: 'setMapping', collectionNumber, mapping: '{"m":1}', version: 2 }];
    const unanswered = write(collectionNumber, 'b', CONDITION.absent);
    const worker = Reflect.get(thread, 'worker') as Worker;
    await Promise.all([worker.terminate(), expect(unanswered).rejects.toMatchObject({ id: 'storage.unavailable' })]);
    expect(failures).toHaveLength(1);
    await expect
      .poll(() => write(collectionNumber, 'c', CONDITION.absent).catch(() => null))
      .toEqual([WRITE_CODE.created, 1]);
    expect(await write(collectionNumber, 'a', CONDITION.any)).toEqual([WRITE_CODE.replaced, 2]);
  });

  it('says why a file cannot be used', async () => {
    const file = join(directory, 'millrace.db');
    writeFileSync(file, 'this is not a database, though it is long enough to be looked at'.repeat(100));
    await expect(thread.start()).rejects.toMatchObject({
      id: 'storage.unavailable',
      message: expect.stringMatching(/millrace\.db" can't be used: file is not a database/) as string,
    });
  });
});
