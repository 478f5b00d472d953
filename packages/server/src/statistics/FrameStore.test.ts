import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger, storageErrors, type StorageEngine } from '@millrace/kernel';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { FrameStore } from './FrameStore.js';
import type { StatisticsFrame } from './StatisticsFrame.js';

const HOUR_MS = 3_600_000;

function frameAt(atMs: number, requests = 1): StatisticsFrame {
  const counts = { http: requests };
  return {
    completedRequests: counts,
    failedRequests: counts,
    ongoingRequests: counts,
    connections: counts,
    slowConsumers: counts,
    timestamp: String(atMs),
  };
}

describe('FrameStore (DOC-61)', () => {
  let dataDir: string;
  let engine: StorageEngine;
  let nowMs: number;

  const open = (nodeId = 'a') =>
    new FrameStore(
      { engine, index: '%millrace' },
      { nowMs: () => nowMs, monotonicMs: () => nowMs },
      silentLogger,
      HOUR_MS,
      nodeId,
    );
  const timestamps = async (store: FrameStore, from = -Infinity, to = Infinity) =>
    (await store.between(from, to)).map(({ timestamp }) => Number(timestamp));

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-frames-'));
    engine = createSqliteEngine({ dataDir });
    await engine.start();
    nowMs = 1_700_000_000_000;
  });

  afterEach(async () => {
    await engine.stop();
    await rm(dataDir, { recursive: true });
  });

  it('has nothing before the first frame', async () => {
    expect(await open().between(-Infinity, Infinity)).toEqual([]);
  });

  it('gives frames back as they were, oldest first, to another server on the same store too', async () => {
    const store = open();
    for (const ageMs of [0, 20_000, 10_000]) store.keep(frameAt(nowMs - ageMs, ageMs));
    await store.whenIdle();
    const other = open('b');
    other.keep(frameAt(nowMs, 7));
    await other.whenIdle();
    expect(await timestamps(other)).toEqual([nowMs - 20_000, nowMs - 10_000, nowMs, nowMs]);
    expect((await other.between(nowMs - 20_000, nowMs - 20_000))[0]).toEqual(frameAt(nowMs - 20_000, 20_000));
  });

  it('takes bounds inclusively', async () => {
    const store = open();
    for (const ageMs of [30, 20, 10]) store.keep(frameAt(nowMs - ageMs));
    await store.whenIdle();
    expect(await timestamps(store, nowMs - 20)).toEqual([nowMs - 20, nowMs - 10]);
    expect(await timestamps(store, -Infinity, nowMs - 20)).toEqual([nowMs - 30, nowMs - 20]);
    expect(await timestamps(store, nowMs - 19, nowMs - 11)).toEqual([]);
  });

  it('forgets what is older than its retention, in the store too', async () => {
    const store = open();
    store.keep(frameAt(nowMs));
    await store.whenIdle();
    nowMs += HOUR_MS;
    expect(await timestamps(store)).toEqual([nowMs - HOUR_MS]);
    nowMs += 1;
    expect(await timestamps(store)).toEqual([]);
    store.keep(frameAt(nowMs));
    await store.whenIdle();
    const name = { index: '%millrace', collection: 'statistics' };
    expect(await engine.read(name, `${nowMs - HOUR_MS - 1}-a`)).toBeNull();
    expect(await engine.read(name, `${nowMs}-a`)).not.toBeNull();
  });

  it('writes what waited while the store was away', async () => {
    const write = engine.write.bind(engine);
    engine.write = () => Promise.reject(storageErrors.unavailable({ reason: 'test' }));
    const store = open();
    store.keep(frameAt(nowMs));
    await store.whenIdle();
    expect(await timestamps(store)).toEqual([nowMs]);
    expect(await timestamps(open('b'))).toEqual([]);
    engine.write = write;
    store.keep(frameAt(nowMs + 1));
    await store.whenIdle();
    expect(await timestamps(open('b'))).toEqual([nowMs, nowMs + 1]);
  });
});
