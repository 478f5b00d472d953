import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '@millrace/kernel';
import type { EmbeddedEngine } from '@millrace/memory-store';
import { embeddedEngine, openMemoryStore, type OpenMemoryStore } from '../memory/openMemoryStore.js';

/** Findings M8 and M9: what large keys and large answers may cost. */

const MIB = 1_048_576;

let engine: EmbeddedEngine;
let store: OpenMemoryStore;
let dataDir: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-large-'));
  engine = embeddedEngine({ dataDir });
  store = await openMemoryStore(engine);
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

/** Fills a collection by batches of one command. */
async function fill(command: string, key: string, count: number, toWords: (at: number) => readonly string[]) {
  // prettier-ignore
  for (let at = 0; at < count; at += 900) {
    const words = Array.from({ length: Math.min(900, count - at) }, (_, more) => toWords(at + more));
    await engine.run([command, key, ...words.flat()]);
  }
}

/** Counts the turns of the event loop until something is done. */
async function turnsUntil<T>(work: Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const result = await work.finally(() => {
    isDone = true;
  });
  return { turns, result };
}

const refused = (outcome: JsonValue) => outcome as { status: number; id: string; message: string };

describe('commands on large keys', () => {
  it('answers bitop over the same key twenty times as over it once', async () => {
    await engine.run(['SETRANGE', 'a', String(8 * MIB - 1), 'x']);
    await engine.run(['SETBIT', 'a', '1', '1']);
    const same = (count: number) => ['BITOP', 'XOR', 'to', ...Array<string>(count).fill('a')] as ['BITOP', ...string[]];
    expect(await engine.run(same(20))).toBe(8 * MIB);
    expect(await engine.run(['BITCOUNT', 'to'])).toBe(0);
    expect(await engine.run(same(21))).toBe(8 * MIB);
    expect(await engine.run(['BITCOUNT', 'to'])).toBe(5);
  });

  it('refuses bitop over more bytes than one command may go through, and changes nothing', async () => {
    const keys = ['a', 'b', 'c'];
    for (const key of keys) await engine.run(['SETBIT', key, String(60 * MIB * 8 - 1), '1']);
    const outcome = refused(await store.outcome('bitop', { body: { operation: 'AND', destkey: 'to', keys } }));
    expect(outcome).toMatchObject({ status: 400, id: 'memory.command_too_large' });
    expect(outcome.message).toContain(`${180 * MIB} bytes`);
    expect(outcome.message).toContain('134217728');
    expect(engine.run(['EXISTS', 'to'])).toBe(0);
  });

  it('lets the event loop turn during a long command, which other commands do not see half done', async () => {
    await fill('RPUSH', 'list', 200_000, (at) => [String((at * 7919) % 200_003)]);
    const sorting = Promise.resolve(engine.run(['SORT', 'list', 'STORE', 'sorted'], 'one'));
    // Of another caller, and of the same one.
    const others = Promise.all([engine.run(['LLEN', 'sorted'], 'two'), engine.run(['LLEN', 'sorted'], 'one')]);
    const { turns, result } = await turnsUntil(sorting);
    expect(result).toBe(200_000);
    expect(turns).toBeGreaterThan(5);
    const [other, same] = await others;
    // Before it or after it, never in between; the same caller's only after it.
    expect([0, 200_000]).toContain(other);
    expect(same).toBe(200_000);
    expect(engine.run(['LRANGE', 'sorted', '0', '2'])).toEqual(['0', '1', '2']);
  });

  it('takes callers in turn, and cheap commands before costly ones of others', async () => {
    await fill('RPUSH', 'list', 100_000, (at) => [String((at * 7919) % 200_003)]);
    const order: string[] = [];
    const note = (name: string, outcome: unknown) => Promise.resolve(outcome).then(() => void order.push(name));
    const all = [
      note('first costly', engine.run(['SORT', 'list'], 'attacker')),
      note('second costly', engine.run(['SORT', 'list'], 'attacker')),
      note('third costly', engine.run(['SORT', 'list'], 'attacker')),
      note('other costly', engine.run(['SORT', 'list'], 'other')),
      note('honest', engine.run(['LLEN', 'list'], 'honest')),
    ];
    await Promise.all(all);
    // The first one is under way when the others come.
    expect(order.indexOf('honest')).toBeLessThan(order.indexOf('second costly'));
    expect(order.indexOf('honest')).toBeLessThan(order.indexOf('other costly'));
    expect(order.indexOf('other costly')).toBeLessThan(order.indexOf('third costly'));
  });

  it('refuses what would go through more elements than the limit, by name of the limit', async () => {
    await fill('SADD', 'set', 250_002, (at) => [`m${at}`]);
    const outcome = refused(await store.outcome('sort', { _id: 'set', body: { alpha: true } }));
    expect(outcome).toMatchObject({ status: 400, id: 'memory.command_too_large' });
    expect(outcome.message).toBe('The command would go through 250002 elements; one command may go through 250000');
    expect(await store.outcome('smembers', { _id: 'set' })).toHaveLength(250_002);
    expect(await store.outcome('sunion', { body: { keys: Array(50).fill('set') } })).toHaveLength(250_002);
    const inter = refused(await store.outcome('sinterstore', { body: { destination: 'to', keys: ['set', 'set'] } }));
    expect(inter).toBe(250_002);
  });

  it('runs a transaction of costly commands in slices, as one', async () => {
    await fill('RPUSH', 'list', 50_000, (at) => [String((at * 7919) % 200_003)]);
    const transaction = engine.openTransaction();
    const commands = Array.from(
      { length: 8 },
      (_, at) => ['SORT', 'list', 'STORE', `sorted-${at}`] as ['SORT', ...string[]],
    );
    const executed = Promise.resolve(transaction.exec(commands));
    const seen = engine.run(['EXISTS', ...commands.map(([, , , to = '']) => to)], 'other');
    const { turns, result } = await turnsUntil(executed);
    transaction.close();
    expect(result).toEqual(Array(8).fill(50_000));
    expect(turns).toBeGreaterThan(5);
    expect([0, 8]).toContain(await seen);
  });

  it('keeps large keys right when the log is rewritten while they change', async () => {
    await fill('RPUSH', 'list', 100_000, (at) => [`e${at}`]);
    await fill('SADD', 'set', 100_000, (at) => [`m${at}`]);
    await engine.run(['SETBIT', 'bits', String(16 * MIB * 8 - 1), '1']);
    const rewritten = engine.rewriteLog();
    const changes = [
      engine.run(['RPUSH', 'list', 'last']),
      engine.run(['SREM', 'set', 'm5']),
      engine.run(['SETBIT', 'bits', '3', '1']),
      engine.run(['SORT', 'list', 'ALPHA', 'LIMIT', '0', '10', 'STORE', 'sorted']),
    ];
    for (const change of changes) await change;
    await rewritten;
    expect(readdirSync(join(dataDir, 'memory-store'))).toContain('base-1.log');
    await store.close();
    engine = embeddedEngine({ dataDir });
    store = await openMemoryStore(engine);
    expect(engine.run(['LLEN', 'list'])).toBe(100_001);
    expect(engine.run(['LRANGE', 'list', '-2', '-1'])).toEqual(['e99999', 'last']);
    expect(engine.run(['SCARD', 'set'])).toBe(99_999);
    expect(await engine.run(['BITCOUNT', 'bits'])).toBe(2);
    expect(engine.run(['LLEN', 'sorted'])).toBe(10);
  });

  it('removes no key while a command is under way', async () => {
    await fill('RPUSH', 'list', 100_000, (at) => [String(at)]);
    await engine.run(['PEXPIRE', 'list', '1']);
    const sorted = await engine.run(['SORT', 'list', 'DESC']);
    expect([0, 100_000]).toContain((sorted as unknown[]).length);
    await expect.poll(() => engine.run(['EXISTS', 'list']), { timeout: 10_000 }).toBe(0);
  });
});

describe('large answers', () => {
  it('refuses one above 64 MiB of JSON, with advice, and answers its parts', async () => {
    // 12 MiB of NULs are 72 MiB of JSON.
    await engine.run(['SETBIT', 'nuls', String(12 * MIB * 8 - 1), '0']);
    const outcome = refused(await store.outcome('get', { _id: 'nuls' }));
    expect(outcome).toMatchObject({ status: 400, id: 'memory.answer_too_large' });
    expect(outcome.message).toContain('67108864 bytes of JSON');
    expect(outcome.message).toContain('getrange');
    expect(await store.outcome('getrange', { _id: 'nuls', start: 0, end: 9 })).toBe('\0'.repeat(10));
    expect(await store.outcome('mget', { keys: Array(10).fill('nuls') })).toMatchObject({ status: 400 });
  });

  it('takes away nothing that it can not answer', async () => {
    await engine.run(['SETBIT', 'nuls', String(12 * MIB * 8 - 1), '0']);
    for (const [action, body] of [
      ['getdel', {}],
      ['getset', { value: 'x' }],
      ['set', { value: 'x', get: true }],
      ['getex', { ex: 1 }],
    ] as const)
      expect(await store.outcome(action, { _id: 'nuls', body })).toMatchObject({ id: 'memory.answer_too_large' });
    expect(engine.run(['STRLEN', 'nuls'])).toBe(12 * MIB);
    const value = '\0'.repeat(MIB);
    for (let at = 0; at < 12; at++) await engine.run(['RPUSH', 'list', value]);
    const popped = await store.outcome('lpop', { _id: 'list', body: { count: 12 } });
    expect(popped).toMatchObject({ id: 'memory.answer_too_large' });
    expect(engine.run(['LLEN', 'list'])).toBe(12);
  });

  it('refuses in a transaction the replies past the bound, in their place', async () => {
    await engine.run(['SET', 'text', 'x'.repeat(30 * MIB)]);
    await store.call('multi', {}, 'ws');
    for (let at = 0; at < 3; at++) await store.call('get', { _id: 'text' }, 'ws');
    await store.call('strlen', { _id: 'text' }, 'ws');
    const [first, second, third, fourth] = (await store.call('exec', {}, 'ws')) as JsonValue[];
    expect([first, second].map((each) => (each as string).length)).toEqual([30 * MIB, 30 * MIB]);
    expect(third).toMatchObject({ error: { status: 400 } });
    expect(fourth).toBe(30 * MIB);
  });

  it('answers large strings with every kind of character, byte for byte', async () => {
    const text = `é€😀"\\\n\u0001${'ü€x😀'.repeat(300_000)}`;
    await engine.run(['SET', 'text', text]);
    expect((await store.call('get', { _id: 'text' })) === text).toBe(true);
    const invalid = Buffer.alloc(3 * MIB, 0x80);
    await engine.run(['SET', 'invalid', new Uint8Array(invalid)]);
    expect((await store.call('get', { _id: 'invalid' })) === invalid.toString('utf8')).toBe(true);
    const hash = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, `é${at}`]));
    await store.call('hset', { _id: 'hash', body: { values: { ...hash, ['__proto__x']: '1' } } });
    expect(await store.call('hgetall', { _id: 'hash' })).toEqual({ ...hash, ['__proto__x']: '1' });
  });
});
