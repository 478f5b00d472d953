// Commands of the memory store per second, embedded against Redis, both through the actions, 64 callers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkArguments, createRequest, Hooks, isThenable, readTarget, silentLogger } from '@millrace/kernel';
import { assembleMemoryStore, createEmbeddedEngine, memoryStoreConfig } from '@millrace/memory-store';
import { createRedisEngine } from '@millrace/memory-store-redis';
import { redisMemoryStoreConfig } from '@millrace/server';
import { inTurn } from '../inTurn.mjs';
import { startRedis } from '../peers/redis.mjs';
import { perSecond } from '../perSecond.mjs';

const CALLERS = 64;
const CONNECTION = { id: 'bench', protocol: 'bench', remoteAddress: '' };
const MIXES = {
  'get and set, 1:1': (at) =>
    at % 2 === 0
      ? { action: 'set', _id: `key:${at % 10_000}`, body: { value: 'x'.repeat(64) } }
      : { action: 'get', _id: `key:${at % 10_000}` },
  incr: (at) => ({ action: 'incr', _id: `counter:${at % 100}` }),
  'rpush and lpop': (at) =>
    at % 2 === 0
      ? { action: 'rpush', _id: 'queue', body: { value: 'x'.repeat(64) } }
      : { action: 'lpop', _id: 'queue' },
  'zadd and zrank, 10,000 members': (at) =>
    at % 2 === 0
      ? { action: 'zadd', _id: 'board', body: { score: (at * 7919) % 100_003, member: `m${at % 10_000}` } }
      : { action: 'zrank', _id: 'board', member: `m${(at * 31) % 10_000}` },
  'hset and hgetall, 20 fields': (at) =>
    at % 2 === 0
      ? { action: 'hset', _id: `hash:${at % 1_000}`, body: { field: `f${at % 20}`, value: at } }
      : { action: 'hgetall', _id: `hash:${at % 1_000}` },
};

export async function* rows({ rounds, isQuick }) {
  const count = isQuick ? 10_000 : 100_000;
  const redis = await startRedis();
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const config = defaultsOf(memoryStoreConfig);
  const peer =
    redis === undefined
      ? undefined
      : await open(
          createRedisEngine({
            config: { ...defaultsOf(redisMemoryStoreConfig), url: redis.url },
            logger: silentLogger,
          }),
          config,
        );
  const ours = await open(createEmbeddedEngine({ dataDir, config, logger: silentLogger }), config);
  for (const [title, make] of Object.entries(MIXES)) {
    const figures = { ours: [], peer: [] };
    for (let round = -1; round < rounds; round++) {
      const measure = (store) => () => perSecond(count, () => runAll(store, make, count));
      const [mine, theirs] = await inTurn(round, {
        ours: measure(ours),
        peer: peer === undefined ? async () => undefined : measure(peer),
      });
      // The first round warms up.
      if (round < 0) continue;
      figures.ours.push(mine);
      if (theirs !== undefined) figures.peer.push(theirs);
    }
    const compared = peer === undefined ? { ours: figures.ours } : figures;
    yield { title: `memory store: ${title}, ${CALLERS} callers`, unit: 'commands/s', ...compared };
  }
  await ours.close();
  await peer?.close();
  await redis?.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function open(engine, config) {
  await engine.start();
  const hooks = new Hooks(silentLogger, 1_000);
  const { actions } = assembleMemoryStore({ engine, config, hooks });
  return {
    actions: new Map(actions.map((action) => [action.action, action])),
    close: () => engine.stop(),
  };
}

async function runAll({ actions }, make, count) {
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const fields = make(next++);
      const action = actions.get(fields.action);
      const request = createRequest({ controller: 'ms', ...fields }, CONNECTION);
      request.target = readTarget(action, request);
      const result = action.run(checkArguments(action, request));
      if (isThenable(result)) await result;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

function defaultsOf(schema) {
  return Object.fromEntries(Object.entries(schema).map(([key, leaf]) => [key, leaf.default]));
}
