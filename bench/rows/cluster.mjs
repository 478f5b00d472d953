// Three nodes with Redis and Elasticsearch on this machine, started for this row: how long a notification takes from one node to
// another, compared with one node, and what three nodes do compared with one. On a machine with few cores the latter says what
// a cluster costs, not what it gains: its nodes share the cores with Elasticsearch, Redis and the clients.
import WebSocket from 'ws';
import { inTurn } from '../inTurn.mjs';
import { quantile } from '../quantile.mjs';
import { LocalCluster } from '../../examples/cluster/LocalCluster.mjs';

const AT = { index: 'bench', collection: 'cluster' };
const FREE = { http: 0, ws: 0, fallback: 0, mqtt: 0 };
const CONCURRENCY = 32;

export async function* rows({ rounds, isQuick }) {
  const cluster = new LocalCluster();
  try {
    await cluster.start({
      ports: FREE,
      elasticsearch: process.env.MILLRACE_TEST_ELASTICSEARCH,
      elasticsearchPort: 9229,
      flags: ['--log.level', 'error', '--storage.elasticsearch.prefix', `bench${process.pid}`],
    });
  } catch (error) {
    console.log(`cluster: left out (${error.message.slice(0, 200)})`);
    await cluster.stop().catch(() => undefined);
    return;
  }
  try {
    const nodes = cluster.nodes.map(({ ports }) => ports);
    await post(nodes[0], `/${AT.index}/${AT.collection}`, {}, 'PUT');
    yield* latencies(nodes, { rounds, count: isQuick ? 50 : 500 });
    yield* throughput(nodes, { rounds, seconds: isQuick ? 1 : 4 });
  } finally {
    await cluster.stop();
  }
}

async function* latencies(nodes, { rounds, count }) {
  const [a, b] = nodes;
  for (const [title, send] of Object.entries({
    'a published message reaches a subscriber of another node (peer: of the same node)': (node, n) => node.request({ controller: 'realtime', action: 'publish', ...AT, body: { n } }),
    'a created document reaches a subscriber of another node (peer: of the same node)': (node, n) => node.request({ controller: 'document', action: 'create', ...AT, body: { n } }),
  })) {
    const writer = await Client.open(a);
    const sides = { ours: await Client.open(b), peer: await Client.open(a) };
    for (const side of Object.values(sides)) await side.subscribe();
    const all = { ours: [], peer: [] };
    const measure = (side) => async () => {
      const times = [];
      for (let n = 0; n < count; n++) {
        const heard = sides[side].nextNotification();
        const startMs = performance.now();
        const answered = send(writer, n);
        times.push((await heard) - startMs);
        await answered;
      }
      all[side].push(...times);
      return quantile(times, 0.5);
    };
    await measure('ours')();
    all.ours = [];
    const figures = { ours: [], peer: [] };
    for (let round = 0; round < rounds; round++) {
      const [ours, peer] = await inTurn(round, { ours: measure('ours'), peer: measure('peer') });
      figures.ours.push(ours);
      figures.peer.push(peer);
    }
    yield { title, unit: 'ms', ...figures, note: `p99 ${quantile(all.ours, 0.99).toFixed(1)} ms, peer ${quantile(all.peer, 0.99).toFixed(1)} ms` };
    for (const client of [writer, ...Object.values(sides)]) client.close();
  }
} // prettier-ignore

async function* throughput(nodes, { rounds, seconds }) {
  const kinds = {
    'creates per second on three nodes (peer: on one)': (node) =>
      post(node, `/${AT.index}/${AT.collection}/_create`, { text: 'some text', n: 1 }),
    'server.now per second on three nodes (peer: on one)': (node) =>
      fetch(`http://127.0.0.1:${node.http}/_now`).then((answer) => answer.text()),
  };
  for (const [title, ask] of Object.entries(kinds)) {
    const measure = async (some) => {
      const endMs = performance.now() + seconds * 1_000;
      let count = 0;
      const work = async (n) => {
        for (; performance.now() < endMs; n++) {
          await ask(some[n % some.length]);
          count++;
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, (_, n) => work(n)));
      return count / seconds;
    };
    await measure(nodes);
    const figures = { ours: [], peer: [] };
    for (let round = 0; round < rounds; round++) {
      const [ours, peer] = await inTurn(round, {
        ours: () => measure(nodes),
        peer: () => measure(nodes.slice(0, 1)),
      });
      figures.ours.push(ours);
      figures.peer.push(peer);
    }
    yield { title, unit: 'requests/s', ...figures };
  }
}

async function post(node, path, body, method = 'POST') {
  const answer = await fetch(`http://127.0.0.1:${node.http}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { status, error } = await answer.json();
  if (status !== 200) throw new Error(`${path}: ${status} ${error?.message}`);
}

/** A WebSocket client that knows when it received something. */
class Client {
  #socket;
  #waiting = new Map();
  #notified = () => undefined;
  #count = 0;

  static async open({ ws }) {
    const client = new Client();
    const socket = new WebSocket(`ws://127.0.0.1:${ws}`);
    client.#socket = socket;
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    socket.on('message', (data) => client.#take(String(data)));
    return client;
  }

  close() {
    this.#socket.terminate();
  }

  request(message) {
    const requestId = `r${++this.#count}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(requestId, { resolve, reject });
      this.#socket.send(JSON.stringify({ ...message, requestId }));
    });
  }

  subscribe() {
    return this.request({ controller: 'realtime', action: 'subscribe', ...AT, body: {} });
  }

  nextNotification() {
    return new Promise((resolve) => (this.#notified = resolve));
  }

  #take(text) {
    const atMs = performance.now();
    const message = JSON.parse(text);
    const waiting = this.#waiting.get(message.requestId);
    if (message.room !== message.requestId || waiting === undefined) return this.#notified(atMs);
    this.#waiting.delete(message.requestId);
    if (message.status === 200) waiting.resolve(message.result);
    else waiting.reject(new Error(message.error?.message));
  }
}
