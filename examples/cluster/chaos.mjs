#!/usr/bin/env node
// Kills, freezes and restarts nodes, Redis and Elasticsearch at random under load, then compares with the book:
//   node examples/cluster/chaos.mjs [--seconds 300] [--seed 1] [--elasticsearch-port 9220] [--only node,redis,elasticsearch]
// Ends with status 1 where an acknowledged write is lost, a revoked token is accepted, or a subscriber missed something
// without a notification.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ask, ChaosLoad } from './ChaosLoad.mjs';
import { LocalCluster } from './LocalCluster.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    'elasticsearch-port': { type: 'string', default: '9220' },
    only: { type: 'string', default: 'node,redis,elasticsearch' },
  },
});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const random = seeded(Number(values.seed));
const only = values.only.split(',');
const startedAtMs = performance.now();
const log = (text) => console.log(`${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s  ${text}`);

const dataDir = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
// The server runs as another user.
await chmod(dataDir, 0o777);
const cluster = new LocalCluster();
let status = 1;
try {
  console.log(`seed ${values.seed}, ${values.seconds} s`);
  await cluster.start({
    ports: { http: 0, ws: 0, fallback: 0, mqtt: 0 },
    elasticsearchPort: Number(values['elasticsearch-port']),
    elasticsearchData: dataDir,
    flags: ['--log.level', 'warn'],
  });
  log('the cluster is there');
  const load = new ChaosLoad(cluster.ports, random);
  await load.prepare();
  load.start();
  await pause(2_000);
  await makeTrouble(performance.now() + Number(values.seconds) * 1_000);
  log('healing');
  await healed();
  await load.stop();
  // The last notifications may be on their way.
  await pause(5_000);
  const report = await load.decide(cluster.nodes.map(({ ports }) => ports));
  load.close();
  console.log(JSON.stringify(report, null, 2));
  const isRight =
    report.lostWrites.length === 0 &&
    report.revokedAcceptedAfter === 0 &&
    report.missingUntold.length === 0 &&
    report.heardTwice === 0;
  log(isRight ? 'all is well' : 'SOMETHING WAS LOST');
  status = isRight ? 0 : 1;
} catch (error) {
  console.error(error);
} finally {
  await cluster.stop().catch((error) => console.error(error.message));
  await rm(dataDir, { recursive: true, force: true });
}
process.exit(status);

async function makeTrouble(untilMs) {
  while (performance.now() < untilMs) {
    await pause(2_000 + random() * 4_000);
    const target = only[Math.floor(random() * only.length)];
    const kind = ['kill', 'freeze', 'restart'][Math.floor(random() * 3)];
    if (target === 'node') await troubleNode(kind, Math.floor(random() * cluster.nodes.length));
    else if (target === 'redis') await troubleRedis(kind);
    else await troubleElasticsearch(kind);
  }
}

async function troubleNode(kind, at) {
  const { part } = cluster.nodes[at];
  log(`${kind} node ${at}`);
  if (kind === 'freeze') return freeze((name) => part.signal(name), 10_000);
  await part.stop(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
  await pause(random() * 3_000);
  await startAgain(part);
}

async function troubleRedis(kind) {
  log(`${kind} Redis`);
  if (kind === 'freeze') return freeze((name) => cluster.redis.signal(name), 8_000);
  await cluster.redis.stop(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
  await pause(random() * 5_000);
  await startAgain(cluster.redis);
}

async function troubleElasticsearch(kind) {
  log(`${kind} Elasticsearch`);
  const { elasticsearch } = cluster;
  if (kind === 'freeze') return freeze((name) => process.kill(elasticsearch.pid, name), 5_000);
  if (kind === 'kill') process.kill(elasticsearch.pid, 'SIGKILL');
  else await elasticsearch.end();
  await pause(500 + random() * 1_000);
  await elasticsearch.start();
}

async function freeze(signal, atMostMs) {
  signal('SIGSTOP');
  await pause(500 + random() * atMostMs);
  signal('SIGCONT');
}

/** A node may find its store away and exit: its supervisor would start it again. */
async function startAgain(part) {
  for (let tries = 1; ; tries++) {
    try {
      return await part.start();
    } catch (error) {
      if (tries >= 5) throw error;
      await part.stop('SIGKILL');
      await pause(1_000);
    }
  }
}

/** Waits until every node says that it is in touch with the others. */
async function healed() {
  const endMs = performance.now() + 60_000;
  for (const { ports } of cluster.nodes) {
    for (;;) {
      const { envelope } = await ask(`http://127.0.0.1:${ports.http}`, 'GET', '/_healthCheck');
      const services = envelope.result?.services ?? envelope.error?.details?.services;
      const isWell =
        services?.cluster?.state === 'up' &&
        services.cluster.nodes === cluster.nodes.length &&
        services.storage.state === 'up';
      if (isWell) break;
      if (performance.now() > endMs) throw new Error(`not healed: ${JSON.stringify(envelope)}`);
      await pause(200);
    }
  }
  log('every node is in touch with the others');
}

/** A random source that a seed determines (xorshift). */
function seeded(seed) {
  let state = (seed | 0) ^ 0x9e3779b9 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
