/*
 * Load for the chaos run, and the book of what was acknowledged.
 *
 * Writers create and update documents, each its own; the book knows for each document the last value acknowledged and the
 * values of writes whose outcome is unknown. Visitors log in, are seen, log out, and try again. Subscribers note what they
 * receive, and when they received a gap.
 */
import WebSocket from 'ws';

const ANSWER_WITHIN_MS = 15_000;
const INDEX = 'chaos';
const COLLECTION = 'documents';
const PASSWORD = 'chaos-password-1';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks over HTTP. @returns the status, 0 where there was no answer, and the envelope */
export async function ask(base, method, path, { body, jwt } = {}) {
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(jwt === undefined ? {} : { authorization: `Bearer ${jwt}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { status: response.status, envelope: await response.json() };
  } catch {
    return { status: 0, envelope: {} };
  }
}

/** The load. */
export class ChaosLoad {
  #ports;
  #random;
  #isOver = false;
  #running = [];
  #count = 0;
  #admin;
  /** Document id → {acked, unknown: values whose write may have happened}. */
  book = new Map();
  /** Acknowledged writes: {id, n, sentAtMs, ackedAtMs}. */
  writes = [];
  /** Tokens revoked, with the time at which that was acknowledged. */
  revoked = [];
  acceptedRevoked = [];
  subscribers = [];
  failedWrites = 0;
  /** How often subscribers received a gap, by reason. */
  reasons = {};

  constructor(ports, random) {
    this.#ports = ports;
    this.#random = random;
  }

  get #base() {
    return `http://127.0.0.1:${this.#ports.http}`;
  }

  async prepare() {
    await ask(this.#base, 'POST', '/users/chaos/_createFirstAdmin', { body: { password: PASSWORD } });
    this.#admin = await this.#login('chaos');
    const more = { jwt: this.#admin };
    await ask(this.#base, 'PUT', `/${INDEX}/${COLLECTION}`, { body: { properties: { n: { type: 'integer' } } }, ...more });
    const visitor = { body: { profileIds: ['default'], password: PASSWORD }, ...more };
    const { status } = await ask(this.#base, 'POST', '/users/visitor/_create', visitor);
    if (status !== 200) throw new Error(`the visitor could not be made: ${status}`);
  } // prettier-ignore

  start({ writers = 4, visitors = 2, subscribers = 6 } = {}) {
    for (let i = 0; i < writers; i++) this.#running.push(this.#write());
    for (let i = 0; i < visitors; i++) this.#running.push(this.#visit());
    for (let i = 0; i < subscribers; i++) this.#running.push(this.#listen());
  }

  /** No more writes and visits; subscribers stay. */
  async stop() {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  close() {
    for (const { socket } of this.subscribers) socket.terminate();
  }

  async #login(username) {
    const { envelope } = await ask(this.#base, 'POST', '/_login', { body: { username, password: PASSWORD } });
    return envelope.result?.jwt;
  } // prettier-ignore

  async #write() {
    let own = [];
    while (!this.#isOver) {
      await pause(10 + this.#random() * 40);
      const isNew = own.length === 0 || this.#random() < 0.5;
      const id = isNew ? `d${++this.#count}` : own[Math.floor(this.#random() * own.length)];
      if (isNew) this.book.set(id, { acked: undefined, unknown: [] });
      const entry = this.book.get(id);
      const n = Math.max(0, entry.acked ?? 0, ...entry.unknown) + 1;
      const sentAtMs = performance.now();
      const path = isNew ? `/${INDEX}/${COLLECTION}/${id}/_create` : `/${INDEX}/${COLLECTION}/${id}`;
      const { status } = await ask(this.#base, isNew ? 'POST' : 'PUT', path, { body: { n }, jwt: this.#admin });
      if (status === 200) {
        entry.acked = n;
        entry.unknown = [];
        this.writes.push({ id, n, sentAtMs, ackedAtMs: performance.now() });
        own.push(id);
        if (own.length > 50) own = own.slice(25);
      } else {
        this.failedWrites++;
        entry.unknown.push(n);
        // What may still be on its way must not overtake a later write of this document.
        own = own.filter((each) => each !== id);
      }
    }
  } // prettier-ignore

  async #visit() {
    while (!this.#isOver) {
      await pause(100);
      const jwt = await this.#login('visitor');
      if (jwt === undefined) continue;
      await ask(this.#base, 'GET', '/users/_me', { jwt });
      const { status } = await ask(this.#base, 'GET', '/_logout', { jwt });
      if (status !== 200) continue;
      this.revoked.push(jwt);
      for (let i = 0; i < 3; i++) {
        const again = await ask(this.#base, 'GET', '/users/_me', { jwt });
        if (again.status === 200) this.acceptedRevoked.push(jwt);
      }
    }
  }

  async #listen() {
    while (!this.#isOver) {
      const subscriber = await this.#subscribe();
      if (subscriber === undefined) {
        await pause(500);
        continue;
      }
      this.subscribers.push(subscriber);
      while (!this.#isOver && subscriber.socket.readyState === WebSocket.OPEN) await pause(100);
    }
  }

  /** @returns undefined if no node responded */
  #subscribe() {
    return new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${this.#ports.ws}`);
      const subscriber = { socket, sinceMs: 0, heard: new Map(), gapsAtMs: [], twice: 0, endedAtMs: undefined };
      const timer = setTimeout(() => socket.terminate(), ANSWER_WITHIN_MS);
      socket.on('error', () => resolve(undefined));
      socket.on('close', () => {
        subscriber.endedAtMs = performance.now();
        clearTimeout(timer);
        resolve(undefined);
      });
      socket.on('open', () => {
        const message = { requestId: 'sub', controller: 'realtime', action: 'subscribe', index: INDEX, collection: COLLECTION, body: {}, jwt: this.#admin };
        socket.send(JSON.stringify(message));
      });
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.requestId === 'sub') {
          clearTimeout(timer);
          if (message.status !== 200) return socket.terminate();
          subscriber.sinceMs = performance.now();
          resolve(subscriber);
        } else if (message.action === 'gap') {
          subscriber.gapsAtMs.push(performance.now());
          const { reason } = message.result;
          this.reasons[reason] = (this.reasons[reason] ?? 0) + 1;
        } else if (message.controller === 'document') {
          const key = `${message.result._id} ${message.result._source.n}`;
          if (subscriber.heard.has(key)) subscriber.twice++;
          subscriber.heard.set(key, performance.now());
        } else {
          subscriber.other = message;
        }
      });
    });
  } // prettier-ignore

  /** Compares the book with every node, once all is quiet. */
  async decide(nodePorts) {
    const report = {
      documents: this.book.size,
      acknowledgedWrites: this.writes.length,
      failedWrites: this.failedWrites,
      lostWrites: [],
      revokedTokens: this.revoked.length,
      revokedAcceptedDuring: this.acceptedRevoked.length,
      revokedAcceptedAfter: 0,
      subscriptions: this.subscribers.length,
      liveSubscribers: 0,
      gapsTold: 0,
      reasons: this.reasons,
      missingUntold: [],
      heardTwice: 0,
      latencyMs: {},
    };
    const bases = nodePorts.map(({ http }) => `http://127.0.0.1:${http}`);
    let at = 0;
    for (const [id, { acked, unknown }] of this.book) {
      const base = bases[at++ % bases.length];
      const { status, envelope } = await ask(base, 'GET', `/${INDEX}/${COLLECTION}/${id}`, { jwt: this.#admin });
      const isRight = status === 200 ? [acked, ...unknown].includes(envelope.result._source.n) : status === 404 && acked === undefined;
      if (!isRight) report.lostWrites.push({ id, acked, unknown, status, found: envelope.result?._source });
    }
    for (const jwt of this.revoked) {
      for (const base of bases) {
        const { status } = await ask(base, 'GET', '/users/_me', { jwt });
        if (status !== 401) report.revokedAcceptedAfter++;
      }
    }
    const latencies = [];
    for (const { socket, sinceMs, heard, gapsAtMs, twice } of this.subscribers) {
      report.heardTwice += twice;
      report.gapsTold += gapsAtMs.length;
      if (socket.readyState !== WebSocket.OPEN) continue;
      report.liveSubscribers++;
      for (const { id, n, sentAtMs } of this.writes) {
        const heardAtMs = heard.get(`${id} ${n}`);
        if (heardAtMs !== undefined) latencies.push(heardAtMs - sentAtMs);
        const isRequired = sentAtMs >= sinceMs && heardAtMs === undefined;
        if (isRequired && !gapsAtMs.some((gapAtMs) => gapAtMs >= sentAtMs)) report.missingUntold.push({ id, n });
      }
    }
    latencies.sort((a, b) => a - b);
    const quantile = (q) => Math.round((latencies[Math.floor(latencies.length * q)] ?? 0) * 10) / 10;
    report.latencyMs = { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99) };
    return report;
  } // prettier-ignore
}
