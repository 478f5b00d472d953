import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MemoryCommand } from '@millrace/kernel';
import { COMMANDS } from '../commands/COMMANDS.js';
import { EmbeddedEngine, type EmbeddedEngineOptions } from './EmbeddedEngine.js';
import { ENGINE_COMMANDS } from './ENGINE_COMMANDS.js';
import { LogFile } from '../log/LogFile.js';

let dataDir: string;
let opened: EmbeddedEngine[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-memory-'));
});
afterEach(async () => {
  for (const engine of opened) await engine.stop();
  opened = [];
  rmSync(dataDir, { recursive: true });
});

async function open(options: Partial<EmbeddedEngineOptions> = {}): Promise<EmbeddedEngine> {
  const engine = new EmbeddedEngine({
    dataDir,
    sync: 'everysec',
    maxMemory: 0,
    evictionPolicy: 'noeviction',
    maxValueBytes: 1_048_576,
    ...options,
  });
  await engine.start();
  opened.push(engine);
  return engine;
}

async function reopen(engine: EmbeddedEngine, options: Partial<EmbeddedEngineOptions> = {}) {
  await engine.stop();
  opened = opened.filter((each) => each !== engine);
  return open(options);
}

const folder = () => join(dataDir, 'memory-store');
const changes = () => join(folder(), 'changes-0.log');
/** One key of each type, with bytes that are no valid text. */
const EVERYTHING: readonly MemoryCommand[] = [
  ['SET', 'string', 'é', 'PX', '60000'],
  ['SETBIT', 'bits', '7', '1'],
  ['RPUSH', 'list', 'a', 'b', ''],
  ['SADD', 'set', 'x', 'y'],
  ['HSET', 'hash', '__proto__', 'v'],
  ['ZADD', 'zset', '0.1', 'm', '-inf', 'n'],
  ['XADD', 'stream', '5-1', 'f', 'v'],
  ['XDEL', 'stream', '5-1'],
  ['PFADD', 'hll', 'a', 'b', 'c'],
  ['GEOADD', 'geo', '13.361389', '38.115556', 'Palermo'],
];
const ANSWERS: readonly (readonly [MemoryCommand, unknown])[] = [
  [['GET', 'string'], 'é'],
  [['GETBIT', 'bits', '7'], 1],
  [
    ['LRANGE', 'list', '0', '-1'],
    ['a', 'b', ''],
  ],
  [
    ['SMEMBERS', 'set'],
    ['x', 'y'],
  ],
  [
    ['HGETALL', 'hash'],
    ['__proto__', 'v'],
  ],
  [
    ['ZRANGE', 'zset', '0', '-1', 'WITHSCORES'],
    ['n', '-inf', 'm', '0.10000000000000001'],
  ],
  [['XLEN', 'stream'], 0],
  [['PFCOUNT', 'hll'], 3],
  [['GEOHASH', 'geo', 'Palermo'], ['sqc8b49rny0']],
  [['DBSIZE'], 9],
];

async function expectEverything(engine: EmbeddedEngine): Promise<void> {
  for (const [command, answer] of ANSWERS) expect(await engine.run(command), command.join(' ')).toEqual(answer);
  expect(() => engine.run(['XADD', 'stream', '5-1', 'f', 'v'])).toThrow('equal or smaller');
  expect(Number(engine.run(['PTTL', 'string']))).toBeGreaterThan(50_000);
}

function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
}

describe('EmbeddedEngine', () => {
  it('has one function for each command: on keys, or on the engine', () => {
    const withoutRun = COMMANDS.filter(({ run }) => run === undefined).map(({ word }) => word);
    expect(withoutRun.sort()).toEqual(Object.keys(ENGINE_COMMANDS).sort());
  });

  it('has everything again after a restart', async () => {
    const engine = await open();
    for (const command of EVERYTHING) await engine.run(command);
    await expectEverything(await reopen(engine));
  });

  it('has everything again after its log was rewritten, with what happened meanwhile', async () => {
    const engine = await open();
    for (const command of EVERYTHING) await engine.run(command);
    for (let at = 0; at < 3000; at++) void engine.run(['SET', `many-${at}`, String(at)]);
    const rewritten = engine.rewriteLog();
    await new Promise((resolve) => setTimeout(resolve, 3));
    // The walk has passed some of these keys, but not all; some are new.
    for (let at = 0; at < 3000; at += 7) void engine.run(['INCRBY', `many-${at}`, '10000']);
    for (let at = 1; at < 3000; at += 7) void engine.run(['DEL', `many-${at}`]);
    for (let at = 0; at < 500; at++) void engine.run(['SET', `new-${at}`, 'x']);
    void engine.run(['RENAME', 'many-2', 'renamed']);
    await rewritten;
    const size = engine.run(['DBSIZE']);
    expect(readdirSync(folder()).sort()).toEqual(['base-1.log', 'changes-1.log', 'lock.sock']);
    const again = await reopen(engine);
    expect(again.run(['DBSIZE'])).toBe(size);
    expect(again.run(['MGET', 'many-0', 'many-1', 'many-2', 'renamed', 'many-6', 'new-499'])).toEqual([
      '10000',
      null,
      null,
      '2',
      '6',
      'x',
    ]);
  });

  it('rewrites by itself once changes weigh more than the keys', async () => {
    const engine = await open({ minRewriteBytes: 50_000 });
    for (let at = 0; at < 5000; at++) void engine.run(['SET', `key-${at % 10}`, `value ${at}`]);
    await engine.rewriteLog();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await engine.flush();
    const bytes = readdirSync(folder()).map((name) => statSync(join(folder(), name)).size);
    expect(Math.max(...bytes)).toBeLessThan(150_000);
    const again = await reopen(engine);
    expect(again.run(['GET', 'key-9'])).toBe('value 4999');
  });

  it('gives a rewrite up when all keys go, and stays right', async () => {
    const engine = await open();
    for (let at = 0; at < 2000; at++) void engine.run(['SET', `key-${at}`, 'x']);
    const rewritten = engine.rewriteLog();
    void engine.run(['FLUSHDB']);
    void engine.run(['SET', 'after', 'y']);
    await rewritten;
    const again = await reopen(engine);
    expect(again.run(['KEYS', '*'])).toEqual(['after']);
  });

  it('takes no harm of a log that was cut, or ends in zeros', async () => {
    const engine = await open();
    await engine.run(['SET', 'a', '1']);
    await engine.flush();
    await engine.run(['SET', 'b', '2']);
    await engine.stop();
    truncateSync(changes(), statSync(changes()).size - 3);
    let again = await open();
    expect(again.run(['MGET', 'a', 'b'])).toEqual(['1', null]);
    await again.run(['SET', 'c', '3']);
    await again.stop();
    appendFileSync(changes(), Buffer.alloc(5000));
    again = await open();
    expect(again.run(['MGET', 'a', 'c'])).toEqual(['1', '3']);
  });

  it('refuses to start on a log that is damaged in the middle, and names the place', async () => {
    const engine = await open();
    for (let at = 0; at < 10; at++) {
      await engine.run(['SET', `k${at}`, 'value']);
      await engine.flush();
    }
    await engine.stop();
    const bytes = readFileSync(changes());
    bytes.writeUInt8(bytes.readUInt8(60) ^ 0xff, 60);
    writeFileSync(changes(), bytes);
    await expect(open()).rejects.toThrow(/changes-0\.log" is damaged at byte \d+/);
  });

  it('has its folder for itself, and gives it back', async () => {
    const engine = await open();
    await expect(open()).rejects.toThrow('is in use by another Millrace');
    await reopen(engine);
  });

  it('logs what chance and time decided, not how', async () => {
    const engine = await open();
    await engine.run(['SADD', 's', ...Array.from({ length: 50 }, (_, at) => `m${at}`)]);
    await engine.run(['SPOP', 's', '20']);
    await engine.run(['SET', 'soon', 'x', 'PX', '40']);
    await engine.run(['INCRBYFLOAT', 'f', '0.1']);
    await engine.run(['XADD', 'st', '*', 'a', 'b']);
    const before = [engine.run(['SMEMBERS', 's']), engine.run(['XRANGE', 'st', '-', '+'])];
    await new Promise((resolve) => setTimeout(resolve, 60));
    const again = await reopen(engine);
    expect([again.run(['SMEMBERS', 's']), again.run(['XRANGE', 'st', '-', '+'])]).toEqual(before);
    expect(again.run(['MGET', 'soon', 'f'])).toEqual([null, '0.1']);
  });

  it('frees keys that expired without anybody asking for them', async () => {
    const engine = await open();
    for (let at = 0; at < 500; at++) {
      expect(engine.run(['SET', `k${at}`, 'x', 'PX', String(20 + (at % 30))])).toBe('OK');
    }
    void engine.run(['SET', 'stays', 'x']);
    await expect.poll(() => engine.run(['DBSIZE'])).toBe(1);
  });

  it('refuses writes past its bound, but lets keys be removed', async () => {
    const engine = await open({ maxMemory: 50_000 });
    const fill = () => {
      for (let at = 0; ; at++) void engine.run(['SET', `k${at}`, 'x'.repeat(1000)]);
    };
    expect(fill).toThrow('memoryStore.maxMemory');
    expect(engine.run(['GET', 'k0'])).toHaveLength(1000);
    void engine.run(['DEL', 'k0', 'k1', 'k2']);
    expect(engine.run(['SET', 'again', 'x'])).toBe('OK');
  });

  it('drops keys used longest ago past its bound, with allkeys-lru', async () => {
    const engine = await open({ maxMemory: 100_000, evictionPolicy: 'allkeys-lru' });
    for (let at = 0; at < 1000; at++) {
      void engine.run(['SET', `k${at}`, 'x'.repeat(1000)]);
      void engine.run(['GET', 'k0']);
      if (at % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(Number(engine.describe().memoryUsed)).toBeLessThan(103_000);
    expect(engine.run(['EXISTS', 'k0', 'k999', 'k1'])).toBe(2);
    const size = engine.run(['DBSIZE']);
    expect((await reopen(engine)).run(['DBSIZE'])).toBe(size);
  });

  it('ends waits when it is asked to', async () => {
    const engine = await open();
    const controller = new AbortController();
    const waiting = engine.block(['BLPOP', 'q', '20'], controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow('the wait was ended');
    void engine.run(['RPUSH', 'q', 'x']);
    expect(engine.run(['LLEN', 'q'])).toBe(1);
  });

  it('says by ping that it takes no writes while its log can not be written, and reads go on', async () => {
    const engine = await open();
    await engine.run(['SET', 'a', '1']);
    await engine.flush();
    engine.ping();
    const full = Object.assign(new Error(`no space: ${folder()}`), { code: 'ENOSPC' });
    const write = vi.spyOn(LogFile.prototype, 'write').mockRejectedValue(full);
    await engine.run(['SET', 'a', '2']);
    const reason = "The memory store is unavailable: its log can't be written: ENOSPC";
    await expect.poll(() => outcomeOf(() => engine.ping())).toBe(reason);
    expect(outcomeOf(() => engine.run(['SET', 'a', '3']))).toBe(reason);
    expect(engine.run(['GET', 'a'])).toBe('2');
    write.mockRestore();
    await expect.poll(() => outcomeOf(() => engine.ping())).toBe(undefined);
    expect((await reopen(engine)).run(['GET', 'a'])).toBe('2');
  });

  it('is away before its start and after its stop', async () => {
    const engine = new EmbeddedEngine({
      sync: 'everysec',
      maxMemory: 0,
      evictionPolicy: 'noeviction',
      maxValueBytes: 1024,
    });
    expect(() => engine.run(['PING'])).toThrow('not started');
    await engine.start();
    expect(engine.run(['PING'])).toBe('PONG');
    await engine.stop();
    expect(() => engine.run(['PING'])).toThrow('stopped');
  });
});
