import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Balancer } from './Balancer.mjs';
import { Elasticsearch, freePort, nodePart, redisPart } from './Parts.mjs';

/** Several nodes, Redis, Elasticsearch and a balancer on this machine. */
export class LocalCluster {
  #folder;
  #removeRedis;
  redis;
  elasticsearch;
  /** In order; each has `part` and `ports`. */
  nodes = [];
  balancer;
  /** Of the balancer. */
  ports;

  /**
   * @param options.nodeCount default 3
   * @param options.ports of the balancer; default: the usual ones; 0: free ones
   * @param options.elasticsearch address of one that runs, else one is started
   * @param options.elasticsearchPort port of one that is started
   * @param options.elasticsearchData folder of its data; absent: a temporary one
   * @param options.flags further flags of each node
   */
  async start({
    nodeCount = 3,
    ports = {},
    elasticsearch,
    elasticsearchPort = 9220,
    elasticsearchData,
    flags = [],
  } = {}) {
    this.#folder = await mkdtemp(join(tmpdir(), 'millrace-cluster-'));
    if (elasticsearch === undefined) {
      this.elasticsearch = new Elasticsearch(elasticsearchPort, { dataDir: elasticsearchData });
      await this.elasticsearch.start();
    }
    const redisPort = await freePort();
    const { part, remove } = await redisPart(redisPort);
    this.redis = part;
    this.#removeRedis = remove;
    await part.start();
    for (let n = 0; n < nodeCount; n++) {
      const [http, ws, fallback, mqtt] = [await freePort(), await freePort(), await freePort(), await freePort()];
      const own = { host: '127.0.0.1', http, ws, fallback, mqtt };
      const node = nodePart(own, {
        redis: `redis://127.0.0.1:${redisPort}`,
        elasticsearch: elasticsearch ?? this.elasticsearch.url,
        dataDir: join(this.#folder, `node-${n}`),
        more: flags,
      });
      this.nodes.push({ part: node, ports: own });
    }
    await Promise.all(this.nodes.map((node) => node.part.start()));
    this.balancer = new Balancer(this.nodes.map((node) => node.ports));
    this.ports = await this.balancer.start(ports);
    return this;
  }

  async stop() {
    await this.balancer?.stop();
    await Promise.all(this.nodes.map(({ part }) => part.stop()));
    await this.redis?.stop();
    await this.#removeRedis?.();
    await this.elasticsearch?.stop();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}
