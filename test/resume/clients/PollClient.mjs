import { setTimeout as sleep } from 'node:timers/promises';
import { Patience } from './Patience.mjs';

const WAIT_MS = 1_000;
const RETRY_MS = 30;

/** Keeps a mirror by long polling: each answer is the replay of what was missed since the last one. */
export class PollClient {
  #url;
  #patience;
  #isClosed = false;

  constructor({ port, mirror, target: { index, collection }, silenceMs }) {
    Object.assign(this, { mirror });
    this.#url = `http://127.0.0.1:${port}/${index}/${collection}`;
    this.#patience = new Patience(silenceMs);
  }

  open() {
    void this.#run();
  }

  close() {
    this.#isClosed = true;
  }

  async #run() {
    while (!this.#isClosed) {
      try {
        await this.#poll();
        this.#patience.reset();
      } catch (error) {
        if (error.name === 'TimeoutError') this.#patience.grow();
        this.mirror.cut();
        await sleep(RETRY_MS);
      }
    }
  }

  /** @throws if the connection is lost */
  async #poll() {
    const { mirror } = this;
    const cursor = mirror.ask(true);
    const query = cursor === undefined ? '' : `?cursor=${cursor}&wait=${WAIT_MS}ms`;
    const { status, error, result } = await this.#post(`_changes${query}`, mirror.filter);
    if (status === 200 && cursor !== undefined) {
      mirror.answered({ resumed: true });
      for (const change of result.changes) mirror.change(change);
      return mirror.resumed({ cursor: result.cursor, count: result.changes.length });
    }
    if (status !== 200 && status !== 410) {
      if (status < 500) mirror.problems.push(`${mirror.name}: ${error.message}`);
      throw new Error(error.message);
    }
    const { reason, cursor: head } = status === 410 ? error.details : result;
    mirror.answered({ resumed: false, cursor: head, gap: { reason } });
    const body = { query: mirror.query, size: 10_000, version: true };
    const found = await this.#post('_search', body);
    if (found.status !== 200) throw new Error(found.error.message);
    mirror.loaded(found.result.hits);
  }

  async #post(path, body) {
    const response = await fetch(`${this.#url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(WAIT_MS + this.#patience.limitMs),
    });
    return response.json();
  }
}
