import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger, SOLE_NODE, storageErrors, type NodeLink, type StorageEngine } from '@millrace/kernel';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { StoredAnswers } from './StoredAnswers.js';

const DAY_MS = 86_400_000;
const REQUEST = { id: 'r', fingerprint: 'f', user: 'ada', holder: 'ada' };

describe('StoredAnswers', () => {
  let dataDir: string;
  let engine: StorageEngine;
  let nowMs: number;
  let alive: string[];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-answers-'));
    engine = createSqliteEngine({ dataDir });
    await engine.start();
    nowMs = 1_800_000_000_000;
    alive = ['a', 'b'];
  });
  afterEach(async () => {
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const open = (nodes: NodeLink = SOLE_NODE, maxBytes = 1_048_576) =>
    new StoredAnswers(
      { engine, index: '%test' },
      nodes,
      { nowMs: () => nowMs, monotonicMs: () => nowMs },
      silentLogger,
      maxBytes,
    );
  const node = (nodeId: string): NodeLink => ({
    ...SOLE_NODE,
    nodeId,
    isClustered: true,
    others: () => alive.filter((id) => id !== nodeId),
  });

  it('forgets an answer after 24 hours', async () => {
    const answers = open();
    expect(await answers.claim(REQUEST)).toBe(null);
    await answers.keep(REQUEST, '{"status":200}');
    nowMs += DAY_MS - 1;
    expect(await answers.claim(REQUEST)).toEqual({
      fingerprint: 'f',
      isRunning: false,
      answer: '{"status":200}',
    });
    nowMs += 1;
    expect(await answers.claim(REQUEST)).toBe(null);
    await answers.keep(REQUEST, '{"status":201}');
    expect(await answers.claim(REQUEST)).toMatchObject({ answer: '{"status":201}' });
  });

  it('the claim of a node ends with it, and one of its heirs gets it (IDEM-14)', async () => {
    const [a, b, c] = [open(node('a')), open(node('b')), open(node('c'))];
    expect(await a.claim(REQUEST)).toBe(null);
    expect(await b.claim(REQUEST)).toEqual({ fingerprint: 'f', isRunning: true, answer: null });
    alive = ['b', 'c'];
    const heirs = await Promise.all([b.claim(REQUEST), c.claim(REQUEST)]);
    expect(heirs.filter((each) => each === null)).toHaveLength(1);
    expect(heirs.filter((each) => each?.isRunning === true)).toHaveLength(1);
  });

  it('a released claim can be had again', async () => {
    const [a, b] = [open(node('a')), open(node('b'))];
    await a.claim(REQUEST);
    await a.release(REQUEST);
    expect(await b.claim(REQUEST)).toBe(null);
  });

  it('shares its bytes, returns them with the answers, and keeps an entry without its answer (IDEM-11)', async () => {
    const answers = open(SOLE_NODE, 4 * 1024);
    await answers.claim(REQUEST);
    await answers.keep(REQUEST, JSON.stringify('x'.repeat(3_000)));
    expect(await answers.claim(REQUEST)).toMatchObject({ answer: null });
    const send = async (id: string, holder: string) => {
      await answers.claim({ ...REQUEST, id, holder });
      await answers.keep({ ...REQUEST, id, holder }, null);
    };
    for (const id of ['2', '3', '4', '5']) await send(id, 'ada');
    await expect(send('6', 'ada')).rejects.toMatchObject({
      id: 'idempotency.too_many_keys',
      status: 429,
    });
    await send('6', 'grace');
    nowMs += DAY_MS + 3_600_000;
    await send('7', 'ada');
  });

  it('failed requests take nothing of the share', async () => {
    const answers = open(SOLE_NODE, 4 * 1024);
    for (let i = 0; i < 100; i++) {
      expect(await answers.claim(REQUEST)).toBe(null);
      await answers.release(REQUEST);
    }
  });

  it('claims that the storage does not take, take nothing of the share either', async () => {
    const { write } = engine;
    const answers = open(node('a'), 4 * 1024);
    engine.write = async () => Promise.reject(storageErrors.unavailable({ reason: 'it is full' }));
    for (let i = 0; i < 100; i++) {
      await expect(answers.claim(REQUEST)).rejects.toMatchObject({ id: 'storage.unavailable' });
    }
    engine.write = write;
    expect(await answers.claim(REQUEST)).toBe(null);
  });
});
