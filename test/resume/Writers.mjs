import { setTimeout as sleep } from 'node:timers/promises';
import { randomDocument } from './documents.mjs';

const DOCUMENTS = 150;
const RETRY_MS = 100;
const MAX_PAUSE_MS = 20;
const MAX_BULK = 20;
const MIN_TRUNCATE_MS = 3_000;
const TIMEOUT_MS = 10_000;

/** Write to a collection from several connections until they are stopped, whether or not a server answers. */
export class Writers {
  counts = { written: 0, refused: 0, failed: 0, truncated: 0 };
  #running = [];
  #isStopped = false;
  #truncatedAtMs = performance.now();

  /** @param urls gives the addresses of the servers, over HTTP */
  constructor({ urls, random, path }) {
    Object.assign(this, { urls, random, path });
  }

  start(count) {
    for (let n = 0; n < count; n++) this.#running.push(this.#write());
  }

  /** Resolves when no write runs any more. */
  async stop() {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async #write() {
    while (!this.#isStopped) {
      await this.#send(...this.#next());
      await sleep(this.random() * MAX_PAUSE_MS);
    }
  }

  #next() {
    const { random, path } = this;
    const kind = random();
    const id = () => `d${Math.floor(random() * DOCUMENTS)}`;
    const source = () => randomDocument(random, false);
    if (kind < 0.25) return ['POST', `${path}/${id()}/_create`, source()];
    if (kind < 0.45) return ['PUT', `${path}/${id()}`, source()];
    if (kind < 0.75) return ['PUT', `${path}/${id()}/_update`, randomDocument(random, true)];
    if (kind < 0.92) return ['DELETE', `${path}/${id()}`];
    if (kind < 0.98) {
      const count = 1 + Math.floor(random() * MAX_BULK);
      const ids = new Set(Array.from({ length: count }, id));
      const documents = [...ids].map((_id) => ({ _id, body: source() }));
      return ['PUT', `${path}/_mCreateOrReplace`, { documents }];
    }
    if (kind < 0.99) {
      const gte = Math.floor(random() * 95);
      return ['DELETE', `${path}/_byQuery`, { query: { range: { stock: { gte, lt: gte + 5 } } } }];
    }
    if (performance.now() - this.#truncatedAtMs < MIN_TRUNCATE_MS) return this.#next();
    this.#truncatedAtMs = performance.now();
    this.counts.truncated++;
    return ['DELETE', `${path}/_truncate`];
  }

  async #send(method, path, body) {
    const urls = this.urls();
    const url = urls[Math.floor(this.random() * urls.length)];
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: body && { 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      this.counts[response.ok ? 'written' : 'refused']++;
    } catch {
      this.counts.failed++;
      await sleep(RETRY_MS);
    }
  }
}
