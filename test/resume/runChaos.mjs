import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerUnderTest } from '../faults/ServerUnderTest.mjs';
import { removeIndexes } from './ClusterUnderTest.mjs';
import { MAPPING, randomFilter } from './documents.mjs';
import { FaultProxy } from './FaultProxy.mjs';
import { Mirror } from './Mirror.mjs';
import { seededRandom } from './seededRandom.mjs';
import { TRANSPORTS } from './transports.mjs';
import { Writers } from './Writers.mjs';

const HEARTBEAT_MS = 500;
const SILENCE_MS = 2_500;
/** Streams end and resume also without a fault. */
const STREAM_MS = 20_000;
const WRITERS = 4;
const MODES = ['events', 'events', 'state', 'auto'];
const SEARCH_MS = 500;
const SETTLE_MS = 120_000;
const TARGET = { index: 'chaos', collection: 'things' };
const PATH = `/${TARGET.index}/${TARGET.collection}`;

/**
 * Writes documents while connections are cut and the server is killed and restarted, then compares every mirror with a
 * search.
 * @param {{seed: number, seconds: number, clients: number, cuts: number, kills: number, restarts: number,
 *   transports: string[], elasticsearch?: string}} options `clients` and `cuts` are per transport; `elasticsearch`: its
 *   address, instead of the embedded engine
 */
export async function runChaos(options) {
  const { seed, seconds, transports, elasticsearch = '' } = options;
  const prefix = `chaos-${randomBytes(6).toString('hex')}`;
  const random = seededRandom(seed);
  const server = new ServerUnderTest({
    settings: {
      MILLRACE_WEBSOCKET_HEARTBEAT_MS: HEARTBEAT_MS,
      MILLRACE_FALLBACK_HEARTBEAT_MS: HEARTBEAT_MS,
      MILLRACE_SSE_HEARTBEAT_MS: HEARTBEAT_MS,
      MILLRACE_SSE_MAX_STREAM_MS: STREAM_MS,
      ...(elasticsearch !== '' && {
        MILLRACE_STORAGE_ENGINE: 'elasticsearch',
        MILLRACE_STORAGE_ELASTICSEARCH_NODE: elasticsearch,
        MILLRACE_STORAGE_ELASTICSEARCH_PREFIX: prefix,
      }),
    },
  });
  const lanes = [];
  try {
    await server.start();
    await server.call('PUT', `/${TARGET.index}`);
    await server.call('PUT', PATH, { properties: MAPPING });
    // What a client reads has every change up to its position (DOC-21).
    if (elasticsearch !== '') await server.call('POST', `/${TARGET.index}/_autoRefresh`, { autoRefresh: true });
    const jwt = await logIn(server);
    for (const name of transports) lanes.push(await openLane(name, server, random, { ...options, jwt }));
    const writers = new Writers({ urls: () => [server.urls.http], random, path: PATH });
    writers.start(WRITERS);
    const endMs = performance.now() + seconds * 1_000;
    const faults = lanes.map((lane) => breakConnections(lane, endMs, random, options));
    const interrupted = interruptServer(server, lanes, endMs, options);
    await Promise.all([...faults, interrupted]);
    for (const lane of lanes) await untilResumed(lane);
    await writers.stop();
    const unequal = await settle(server, lanes);
    return { lanes: lanes.map(summaryOf), ...(await interrupted), writes: writers.counts, unequal };
  } finally {
    for (const { clients, proxy } of lanes) {
      for (const client of clients) client.close();
      proxy.close();
    }
    await server.close();
    if (elasticsearch !== '') await removeIndexes(elasticsearch, prefix);
  }
}

/** Sessions belong to users. The server is not locked: other clients need none. @returns a token */
async function logIn(server) {
  const [username, password] = ['device', 'correct-horse-battery-41'];
  await server.call('POST', `/users/${username}/_create`, { profileIds: ['default'], password });
  return server.login({ username, password });
}

async function openLane(transport, server, random, { clients: count, jwt, isCluster }) {
  const { protocol, mayRepeat, open } = TRANSPORTS[transport];
  const proxy = new FaultProxy(random);
  proxy.target = server.urls[protocol];
  const port = await proxy.open();
  const clients = Array.from({ length: count }, (_, n) => {
    const mode = MODES[n % MODES.length];
    const name = `${transport} ${n} ${mode}`;
    const mirror = new Mirror({ name, ...randomFilter(random), mode, mayRepeat, isCluster });
    return open({ port, mirror, target: TARGET, random, silenceMs: SILENCE_MS, number: n, jwt });
  });
  for (const client of clients) client.open();
  return { transport, protocol, proxy, clients };
}

async function breakConnections({ proxy }, endMs, random, { cuts }) {
  for (let leftMs; (leftMs = endMs - performance.now()) > 0;) {
    const meanMs = leftMs / Math.max(1, cuts - proxy.cuts);
    await sleep(Math.min(leftMs, meanMs * 2 * random()));
    if (proxy.cuts < cuts) proxy.breakOne();
  }
}

/** Ends the process, by SIGKILL or SIGTERM, and starts it again. @returns how often */
async function interruptServer(server, lanes, endMs, { kills, restarts }) {
  const count = kills + restarts;
  const everyMs = (endMs - performance.now()) / (count + 1);
  const done = { kills: 0, restarts: 0 };
  for (let n = 1; n <= count; n++) {
    await sleep(everyMs);
    const isKill = done.kills < Math.round((n * kills) / count);
    if (isKill) await server.kill();
    else await server.stop();
    done[isKill ? 'kills' : 'restarts']++;
    await server.start();
    for (const { proxy, protocol } of lanes) proxy.target = server.urls[protocol];
  }
  await sleep(Math.max(0, endMs - performance.now()));
  return done;
}

/** On a slow machine the time may pass with broken handshakes alone. */
async function untilResumed({ proxy, clients }) {
  const endMs = performance.now() + SETTLE_MS;
  const isResumed = () => clients.some(({ mirror }) => mirror.counts.resumes > 0);
  while (!isResumed() && performance.now() < endMs) {
    proxy.closeAll();
    await sleep(SILENCE_MS);
  }
}

/**
 * Waits until every mirror equals a search. Writes that no writer waits for any more may still be made meanwhile.
 * @returns the mirrors that don't, and how
 */
async function settle(server, lanes) {
  const mirrors = lanes.flatMap(({ clients }) => clients.map(({ mirror }) => mirror));
  const endMs = performance.now() + SETTLE_MS;
  for (;;) {
    const searched = await Promise.all(mirrors.map(({ query }) => search(server, query)));
    const differing = mirrors.flatMap((mirror, n) => {
      if (!mirror.isLive) return [`${mirror.name}: not live`];
      return mirror.differences(searched[n]).map((each) => `${mirror.name}: ${each}`);
    });
    if (differing.length === 0 || performance.now() > endMs) return differing;
    await sleep(SEARCH_MS);
  }
}

async function search(server, query) {
  const body = { query, size: 10_000, version: true };
  return (await server.call('POST', `${PATH}/_search`, body)).hits;
}

function summaryOf({ transport, proxy, clients }) {
  const { cuts, delays } = proxy;
  const sum = { transport, cuts, delays, gaps: {}, problems: [] };
  for (const { mirror } of clients) {
    const { gaps, ...counts } = mirror.counts;
    for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
    for (const [name, count] of Object.entries(gaps)) sum.gaps[name] = (sum.gaps[name] ?? 0) + count;
    sum.problems.push(...mirror.problems);
  }
  return sum;
}

/** For the run on a cluster. */
export {
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
};
