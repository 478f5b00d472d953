import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Probe } from './Probe.mjs';

const TIMEOUT_MS = 30_000;
const RECONNECT_MS = 100;

const GET = { index: 'honest', collection: 'notes', _id: 'one' };
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    server: { actions: { now: true, healthCheck: true } },
    document: { actions: { get: true } },
  },
};

/** An ordinary client from another loopback address than the attackers', which measures while they attack. */
export class HonestClient {
  static ADDRESS = '127.0.0.2';
  #server;
  #account;
  #kept = new Agent({ keepAlive: true, maxSockets: 16 });
  #fresh = new Agent({ keepAlive: false });
  #socket;
  #waiting = new Map();
  #requestNumber = 0;
  #isFinished = false;
  #probes = {
    getWebsocket: new Probe({ everyMs: 10, maxPending: 20, send: () => this.#getByWebsocket() }),
    getHttp: new Probe({ everyMs: 20, maxPending: 8, send: () => this.#getByHttp() }),
    login: new Probe({ everyMs: 2_000, maxPending: 5, send: () => this.#login() }),
    // Over new connections, as load balancers do.
    health: new Probe({ everyMs: 50, maxPending: 10, send: () => this.#health() }),
    now: new Probe({ everyMs: 25, maxPending: 4, send: () => this.#now() }),
  };

  /** Creates the honest user and its document. */
  async prepare(server) {
    const { index, collection, _id } = GET;
    await server.call('PUT', `/${index}`);
    await server.call('PUT', `/${index}/${collection}`);
    await server.call('PUT', `/${index}/${collection}/${_id}`, { text: 'a small document' });
    this.#account = await server.account('honest', ROLE);
  }

  async start(server) {
    this.#server = server;
    await this.#connect();
    for (const probe of Object.values(this.#probes)) probe.start();
  }

  reset() {
    for (const probe of Object.values(this.#probes)) probe.reset();
  }

  /** Stops measuring; requests that have no answer within `limitMs` are errors. */
  async finish(limitMs) {
    await Promise.all(Object.values(this.#probes).map((probe) => probe.finish(limitMs)));
    this.#isFinished = true;
    this.#socket.terminate();
    this.#kept.destroy();
    this.#fresh.destroy();
  }

  /** @returns by kind of request: `{count, p50, p99, max, errorCount, errors}` */
  summary() {
    return Object.fromEntries(Object.entries(this.#probes).map(([name, probe]) => [name, probe.summary()]));
  }

  /** One HTTP request from the honest address; resolves with status, headers and the envelope. */
  http(method, path, { body, headers = {}, agent = this.#kept, server = this.#server } = {}) {
    const { hostname, port } = new URL(server.urls.http);
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const options = {
      hostname,
      port,
      method,
      path,
      agent,
      localAddress: HonestClient.ADDRESS,
      timeout: TIMEOUT_MS,
      headers: {
        ...headers,
        ...(payload && {
          'content-type': 'application/json',
          'content-length': payload.length,
        }),
      },
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest(options, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const envelope = text.startsWith('{') ? JSON.parse(text) : {};
          resolve({ status: response.statusCode, headers: response.headers, envelope });
        });
      });
      request.on('timeout', () => request.destroy(new Error('no answer in 30 s')));
      request.on('error', reject);
      request.end(payload);
    });
  }

  #getByHttp() {
    const { index, collection, _id } = GET;
    const headers = { authorization: `Bearer ${this.#account.token}` };
    return this.#expect200(this.http('GET', `/${index}/${collection}/${_id}`, { headers }));
  }

  #login() {
    const { username, password } = this.#account;
    return this.#expect200(this.http('POST', '/_login', { body: { username, password } }));
  }

  #health() {
    return this.#expect200(this.http('GET', '/_healthCheck', { agent: this.#fresh }));
  }

  #now() {
    return this.#expect200(this.http('GET', '/_now'));
  }

  async #expect200(answer) {
    const { status, envelope } = await answer;
    if (status !== 200) throw new Error(`${status} ${envelope.error?.id}`);
  }

  #getByWebsocket() {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      return sleep(RECONNECT_MS).then(() => Promise.reject(new Error('WebSocket is closed')));
    }
    const requestId = `r${this.#requestNumber++}`;
    const { token: jwt } = this.#account;
    this.#socket.send(JSON.stringify({ requestId, controller: 'document', action: 'get', ...GET, jwt }));
    return new Promise((resolve, reject) => this.#waiting.set(requestId, { resolve, reject }));
  }

  async #connect() {
    const socket = new WebSocket(this.#server.urls.websocket, {
      localAddress: HonestClient.ADDRESS,
    });
    socket.on('message', (data) => {
      const { requestId, status, error } = JSON.parse(data.toString());
      const waiting = this.#waiting.get(requestId);
      this.#waiting.delete(requestId);
      if (status === 200) waiting?.resolve();
      else waiting?.reject(new Error(`${status} ${error?.id}`));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('WebSocket was closed'));
      this.#waiting.clear();
      if (this.#isFinished || !this.#server.isAlive) return;
      setTimeout(() => void this.#connect().catch(() => undefined), RECONNECT_MS).unref();
    });
    this.#socket = socket;
    await once(socket, 'open');
  }
}
