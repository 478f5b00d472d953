import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterUnderTest } from './ClusterUnderTest.mjs';
import { MAPPING } from './documents.mjs';
import {
  breakConnections,
  HEARTBEAT_MS,
  logIn,
  openLane,
  PATH,
  settle,
  STREAM_MS,
  summaryOf,
  TARGET,
  untilResumed,
  WRITERS,
} from './runChaos.mjs';
import { seededRandom } from './seededRandom.mjs';
import { Writers } from './Writers.mjs';

const NODES = 3;
const DEAD_AFTER_MS = 3_000;
/** A node is back before or after the others have declared it dead. */
const MAX_DOWN_MS = 2 * DEAD_AFTER_MS;
const MAX_REDIS_AWAY_MS = 8_000;
const RETARGET_MS = 20;
const MAX_PAUSE_MS = 6_000;
const REDIS_SHARE = 0.3;
const PAUSE_SHARE = 0.25;

/**
 * Writes documents to three nodes while connections are cut and continue on another node, nodes are killed or paused
 * and Redis restarts; then compares every mirror with a search.
 * @param {{elasticsearch: string, seed: number, seconds: number, clients: number, cuts: number, faults: number,
 *   transports: string[]}} options `clients` and `cuts` are per transport; `faults`: of nodes and of Redis together
 */
export async function runClusterChaos(options) {
  const { elasticsearch, seed, seconds, faults, transports } = options;
  const random = seededRandom(seed);
  const cluster = new ClusterUnderTest({ elasticsearch, random });
  const lanes = [];
  const settings = {
    'websocket.heartbeatMs': HEARTBEAT_MS,
    'fallback.heartbeatMs': HEARTBEAT_MS,
    'sse.heartbeatMs': HEARTBEAT_MS,
    'sse.maxStreamMs': STREAM_MS,
    'cluster.deadAfterMs': DEAD_AFTER_MS,
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)]);
  let timer;
  try {
    await cluster.start({ nodeCount: NODES, flags });
    await cluster.call('PUT', `/${TARGET.index}`);
    await cluster.call('PUT', PATH, { properties: MAPPING });
    // What a client reads has every change up to its position (DOC-21).
    await cluster.call('POST', `/${TARGET.index}/_autoRefresh`, { autoRefresh: true });
    const jwt = await logIn(cluster);
    for (const name of transports)
      lanes.push(await openLane(name, cluster, random, { ...options, jwt, isCluster: true }));
    // A connection that is opened again reaches another node.
    timer = setInterval(() => {
      for (const { proxy, protocol } of lanes) proxy.target = cluster.urls[protocol];
    }, RETARGET_MS);
    const urls = () => cluster.nodes.map((node) => node.urls.http);
    const writers = new Writers({ urls, random, path: PATH });
    writers.start(WRITERS);
    const endMs = performance.now() + seconds * 1_000;
    const cut = lanes.map((lane) => breakConnections(lane, endMs, random, options));
    const made = await makeFaults(cluster, endMs, random, faults);
    await Promise.all(cut);
    await cluster.healed();
    report('every node is in touch with the others');
    for (const lane of lanes) await untilResumed(lane);
    await writers.stop();
    report('the writers have stopped');
    const unequal = await settle(cluster, lanes);
    const { logs } = cluster;
    return { lanes: lanes.map(summaryOf), faults: made, writes: writers.counts, unequal, logs };
  } catch (error) {
    console.log(cluster.logs);
    throw error;
  } finally {
    clearInterval(timer);
    for (const { clients, proxy } of lanes) {
      for (const client of clients) client.close();
      proxy.close();
    }
    await cluster.close();
  }
}

/** Kills and pauses nodes, and restarts Redis, one at a time or several at once. @returns how often */
async function makeFaults(cluster, endMs, random, count) {
  const made = { kills: 0, pauses: 0, redisKills: 0, redisStops: 0 };
  const everyMs = (endMs - performance.now()) / (count + 1);
  const running = [];
  let isRedisAway = false;
  for (let n = 0; n < count; n++) {
    await sleep(everyMs);
    running.push(makeOne());
  }
  await sleep(Math.max(0, endMs - performance.now()));
  await Promise.all(running);
  return made;

  function makeOne() {
    const kind = random();
    if (kind < REDIS_SHARE) return restartRedis();
    return kind < REDIS_SHARE + PAUSE_SHARE ? pauseNode() : killNode();
  }

  function drawNode() {
    const up = cluster.nodes.filter(({ isUp }) => isUp);
    return up[Math.floor(random() * up.length)];
  }

  async function killNode() {
    const node = drawNode();
    if (node === undefined) return;
    made.kills++;
    report(`node ${node.number} is killed`);
    await cluster.killNode(node);
    await sleep(random() * MAX_DOWN_MS);
    await cluster.startNode(node);
    report(`node ${node.number} is back`);
  }

  async function pauseNode() {
    const node = drawNode();
    if (node === undefined) return;
    made.pauses++;
    const forMs = Math.round(random() * MAX_PAUSE_MS);
    report(`node ${node.number} is paused for ${forMs} ms`);
    await cluster.pauseNode(node, forMs);
  }

  async function restartRedis() {
    if (isRedisAway) return;
    isRedisAway = true;
    const isKill = random() < 0.5;
    made[isKill ? 'redisKills' : 'redisStops']++;
    report(`Redis is ${isKill ? 'killed' : 'stopped'}`);
    await cluster.redis.stop(isKill ? 'SIGKILL' : 'SIGTERM');
    await sleep(random() * MAX_REDIS_AWAY_MS);
    await cluster.startRedis();
    report('Redis is back');
    isRedisAway = false;
  }
}

/** Prints what happens, with its time: a run that fails or hangs can be read. */
function report(event) {
  console.log(`${new Date().toISOString()} ${event}`);
}
