import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, nodePart, redisPart } from '../../examples/cluster/Parts.mjs';

const MAX_STARTS = 10;
const HEALED_WITHIN_MS = 120_000;
const REQUEST_MS = 20_000;

/** Nodes as processes over one Redis, which keeps its data on disk, and one Elasticsearch. */
export class ClusterUnderTest {
  redis;
  /** In order: `{part, urls, isUp}`. */
  nodes = [];
  #folder;
  #elasticsearch;
  #prefix = `chaos-${randomBytes(6).toString('hex')}`;
  #random;
  #redisPort;
  #flags;

  /** @param {{elasticsearch: string, random: () => number}} options the address of Elasticsearch */
  constructor({ elasticsearch, random }) {
    this.#elasticsearch = elasticsearch;
    this.#random = random;
  }

  async start({ nodeCount, flags }) {
    this.#folder = await mkdtemp(join(tmpdir(), 'millrace-cluster-chaos-'));
    this.#redisPort = await freePort();
    this.#flags = flags;
    const { part } = await redisPart(this.#redisPort, { appendOnlyFolder: this.#folder });
    this.redis = part;
    await part.start();
    for (let number = 0; number < nodeCount; number++) {
      this.nodes.push({ number, isUp: false, ...(await this.#makeNode(number)) });
    }
    const [first, ...others] = this.nodes;
    await this.startNode(first);
    await Promise.all(others.map((node) => this.startNode(node)));
  }

  async #makeNode(number) {
    const ports = { http: 0, ws: 0, fallback: 0, mqtt: 0 };
    for (const name of Object.keys(ports)) ports[name] = await freePort();
    const { http, ws, fallback, mqtt } = ports;
    const at = (port) => `http://127.0.0.1:${port}`;
    const part = nodePart(ports, {
      redis: `redis://127.0.0.1:${this.#redisPort}`,
      elasticsearch: this.#elasticsearch,
      dataDir: join(this.#folder, `node-${number}`),
      more: ['--storage.elasticsearch.prefix', this.#prefix, '--log.level', 'info', ...this.#flags],
    });
    const urls = { http: at(http), websocket: at(ws), fallback: at(fallback), mqtt: at(mqtt) };
    return { part, urls };
  }

  /** The addresses of a node drawn at random, by protocol. */
  get urls() {
    const up = this.nodes.filter(({ isUp }) => isUp);
    const drawn = up.length === 0 ? this.nodes : up;
    return drawn[Math.floor(this.#random() * drawn.length)].urls;
  }

  async startNode(node) {
    // Another process may have taken one of the ports while the node was down.
    const moves = async () => Object.assign(node, await this.#makeNode(node.number));
    await startAgain(() => node.part, moves);
    node.isUp = true;
  }

  /** Stops the process for a while, as a busy machine does. */
  async pauseNode(node, forMs) {
    node.part.signal('SIGSTOP');
    await sleep(forMs);
    node.part.signal('SIGCONT');
  }

  /** The newest lines that the nodes have logged. */
  get logs() {
    return this.nodes.map(({ number, part }) => `node ${number}:\n${part.output.trim()}`).join('\n');
  }

  startRedis() {
    return startAgain(() => this.redis);
  }

  async killNode(node) {
    node.isUp = false;
    await node.part.stop('SIGKILL');
  }

  /** Waits until every node is in touch with all others. */
  async healed() {
    const endMs = performance.now() + HEALED_WITHIN_MS;
    for (const { urls } of this.nodes) {
      for (;;) {
        const { result, error } = await request(urls.http, 'GET', '/_healthCheck');
        const { cluster } = result?.services ?? error?.details?.services ?? {};
        if (cluster?.state === 'up' && cluster.nodes === this.nodes.length) break;
        if (performance.now() > endMs) throw new Error(`not healed: ${JSON.stringify(cluster)}`);
        await sleep(100);
      }
    }
  }

  /** One request that must succeed; gives its result. */
  async call(method, path, body) {
    const { status, error, result } = await request(this.urls.http, method, path, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${error?.message}`);
    return result;
  }

  /** @returns a token, valid on all nodes */
  async login(credentials) {
    return (await this.call('POST', '/_login', credentials)).jwt;
  }

  /** Ends everything and removes all that was stored. */
  async close() {
    for (const node of this.nodes) await this.killNode(node);
    await this.redis?.stop();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
    await removeIndexes(this.#elasticsearch, this.#prefix);
  }
}

/** A node that finds Redis away exits: a supervisor would try again. */
async function startAgain(partNow, onFailed) {
  for (let starts = 1; ; starts++) {
    try {
      return await partNow().start();
    } catch (error) {
      await partNow().stop('SIGKILL');
      if (starts === MAX_STARTS) throw error;
      await onFailed?.();
      await sleep(1_000);
    }
  }
}

async function request(url, method, path, body) {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: body && { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    return await response.json();
  } catch (error) {
    return { status: 0, error };
  }
}

export async function removeIndexes(elasticsearch, prefix) {
  const response = await fetch(`${elasticsearch}/_cat/indices/${prefix}*?format=json&h=index`);
  for (const { index } of await response.json()) await fetch(`${elasticsearch}/${index}`, { method: 'DELETE' });
}
