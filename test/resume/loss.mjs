#!/usr/bin/env node
// Leaves one message of the server out, of every kind: the client must notice it by the next heartbeat (RESUME-24).
//   node test/resume/loss.mjs [--rounds 5] [--seed 1] [--transports websocket,sse]
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ServerUnderTest } from '../faults/ServerUnderTest.mjs';
import { connectWebsocket } from './clients/connectWebsocket.mjs';
import { MessageClient } from './clients/MessageClient.mjs';
import { StreamClient } from './clients/StreamClient.mjs';
import { LossyProxy } from './LossyProxy.mjs';
import { LossyStreams } from './LossyStreams.mjs';
import { Mirror } from './Mirror.mjs';
import { seededRandom } from './seededRandom.mjs';

const HEARTBEAT_MS = 300;
const WRITES = 6;
const COSTLY_PATTERNS = 24;
const LIMIT_MS = 30_000;
const TARGET = { index: 'loss', collection: 'things' };
const PATH = `/${TARGET.index}/${TARGET.collection}`;
/** By kind: which messages, how many of them there are, and whether the client is away during the writes. */
const KINDS = {
  live: { matches: ({ roomId, action }) => roomId && action === 'create', count: WRITES },
  published: { matches: ({ action, roomId }) => roomId && action === 'publish', count: 1 },
  gap: { matches: ({ action, roomId }) => roomId && action === 'gap', count: 1 },
  replayed: { matches: ({ replayed }) => replayed, count: WRITES, isAway: true },
  resumed: { matches: ({ action }) => action === 'resumed', count: 1, isAway: true },
};
/** By name: the proxy to the server, and a client. */
const TRANSPORTS = {
  websocket: {
    proxyTo: ({ websocket }) => new LossyProxy(websocket),
    open: ({ port, ...parts }) => new MessageClient({ connect: (events) => connectWebsocket(port, events), ...parts }),
  },
  sse: {
    proxyTo: ({ http }) => new LossyStreams(http),
    open: (parts) => new StreamClient({ ...parts, number: 0 }),
  },
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    transports: { type: 'string', default: Object.keys(TRANSPORTS).join(',') },
  },
});
const random = seededRandom(Number(values.seed));
const settings = {
  MILLRACE_WEBSOCKET_HEARTBEAT_MS: HEARTBEAT_MS,
  MILLRACE_SSE_HEARTBEAT_MS: HEARTBEAT_MS,
};
const server = new ServerUnderTest({ settings });
let documentCount = 0;
const rows = [];
try {
  await server.start();
  await server.call('PUT', `/${TARGET.index}`);
  await server.call('PUT', PATH);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const transport of values.transports.split(',')) {
      for (const kind of Object.keys(KINDS)) rows.push(await lose(transport, kind));
    }
  }
} finally {
  await server.close();
}
console.table(rows);
const isRight = rows.every(({ dropped, noticed, equal }) => dropped === 1 && noticed && equal);
console.log(isRight ? 'Every loss was noticed.' : 'A loss was not noticed.');
process.exit(isRight ? 0 : 1);

/** Leaves out one message of the kind. */
async function lose(transport, kind) {
  const { matches, count, isAway } = KINDS[kind];
  const { proxyTo, open } = TRANSPORTS[transport];
  const proxy = proxyTo(server.urls);
  const port = await proxy.open();
  const mirror = new Mirror({ name: kind, filter: filterOf(kind), query: {}, mode: 'events' });
  const client = open({ port, mirror, target: TARGET, random, silenceMs: LIMIT_MS });
  const costly = kind === 'gap' ? await openCostly() : undefined;
  try {
    client.open();
    await until(() => mirror.isLive && mirror.counts.heartbeats > 0);
    if (mirror.problems.length > 0) throw new Error(mirror.problems[0]);
    const n = Math.floor(random() * count);
    proxy.drop(matches, n);
    if (isAway) {
      client.close();
      await write('live');
      client.reopen();
    } else await write(kind);
    await until(() => proxy.dropped > 0);
    const droppedAtMs = performance.now();
    const noticed = await until(() => mirror.counts.misses > 0);
    const ms = Math.round(performance.now() - droppedAtMs);
    const { hits } = await server.call('POST', `${PATH}/_search`, { size: 10_000, version: true });
    const equal = await until(() => mirror.isLive && mirror.differences(hits).length === 0);
    return { transport, kind, n, dropped: proxy.dropped, noticed, ms, equal };
  } finally {
    client.close();
    costly?.close();
    proxy.close();
  }
}

/** A document whose text was not searched for the patterns of a filter causes a gap. */
function filterOf(kind) {
  return kind === 'gap' ? { or: [{ exists: 'n' }, { regexp: { text: 'x' } }] } : {};
}

/** Subscribes to patterns that take too many steps on a long text, which counts for all. */
async function openCostly() {
  const messages = [];
  let isOpen = false;
  const link = connectWebsocket(new URL(server.urls.websocket).port, {
    onOpen: () => (isOpen = true),
    onMessage: (message) => messages.push(message),
    onClose: () => undefined,
  });
  await until(() => isOpen);
  for (let n = 0; n < COSTLY_PATTERNS; n++) {
    const body = { regexp: { text: `(a|b)*a(a|b){${40 + n}}[cz]` } };
    link.send({ controller: 'realtime', action: 'subscribe', ...TARGET, body });
  }
  await until(() => messages.length === COSTLY_PATTERNS);
  return link;
}

async function write(kind) {
  if (kind === 'published') return server.call('POST', PATH, { hello: 'world' });
  for (let n = 0; n < WRITES; n++) {
    const letters = () => (random() < 0.5 ? 'a' : 'b');
    const text = kind === 'gap' && n === 0 ? Array.from({ length: 60_000 }, letters).join('') : '';
    await server.call('PUT', `${PATH}/d${documentCount++}`, { n, text });
  }
}

/** @returns whether it came true in time */
async function until(isTrue) {
  const endMs = performance.now() + LIMIT_MS;
  while (performance.now() < endMs) {
    if (isTrue()) return true;
    await sleep(10);
  }
  return false;
}
