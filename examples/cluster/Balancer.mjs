/*
 * A small load balancer: each HTTP request, and each lasting connection, goes to a node drawn at random. Nodes that can't
 * be reached are left out for a moment. It shows what a cluster needs of any balancer:
 *
 *  - HTTP requests may go anywhere, one by one.
 *  - WebSocket and MQTT are streams of bytes: a connection goes to one node and stays there.
 *  - The fallback protocol (socket.io) begins as a series of HTTP requests that must all reach the node that has the session:
 *    requests with a `sid` go where that `sid` was given out.
 */
import { Agent, createServer, request } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';

const LEFT_OUT_MS = 500;
const CONNECT_WITHIN_MS = 1_000;
const SESSION_KEPT_MS = 600_000;
const HANDSHAKE_LENGTH = 4_096;

/** @typedef {{ readonly host: string, readonly http: number, readonly ws: number, readonly fallback: number, readonly mqtt: number }} NodePorts */

/** Spreads requests and connections over nodes. */
export class Balancer {
  #nodes;
  #random;
  #agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 64 });
  #servers = [];
  #sockets = new Set();
  #leftOutUntilMs = new Map();
  #sessions = new Map();

  /**
   * @param {readonly NodePorts[]} nodes
   * @param {() => number} random from 0 to 1
   */
  constructor(nodes, random = Math.random) {
    this.#nodes = nodes;
    this.#random = random;
  }

  /** Listens on one port for each protocol; 0: a free one. @returns the ports */
  async start({ host = '127.0.0.1', http = 7511, ws = 7513, fallback = 7512, mqtt = 1883 } = {}) {
    const listen = (server, port) => this.#listen(server, host, port);
    return {
      http: await listen(this.#httpServer('http', false), http),
      ws: await listen(this.#tcpServer('ws'), ws),
      fallback: await listen(this.#httpServer('fallback', true), fallback),
      mqtt: await listen(this.#tcpServer('mqtt'), mqtt),
    };
  }

  async stop() {
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((done) => server.close(done))));
  }

  async #listen(server, host, port) {
    this.#servers.push(server);
    server.on('connection', (socket) => this.#own(socket));
    await new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return server.address().port;
  }

  #own(socket) {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  /** A node that is there, as far as is known, and was not tried yet. */
  #draw(tried = []) {
    const now = performance.now();
    const left = this.#nodes.filter((node) => !tried.includes(node));
    const there = left.filter((node) => (this.#leftOutUntilMs.get(node) ?? 0) <= now);
    const from = there.length > 0 ? there : left;
    return from[Math.floor(this.#random() * from.length)];
  }

  #leaveOut(node) {
    this.#leftOutUntilMs.set(node, performance.now() + LEFT_OUT_MS);
  }

  // ---- streams of bytes

  #tcpServer(protocol) {
    return createTcpServer({ allowHalfOpen: false, noDelay: true }, (client) => {
      client.pause();
      this.#pipe(client, protocol, [], () => undefined);
    });
  }

  /** @param opened called with the socket to the node before the client's bytes follow */
  #pipe(client, protocol, tried, opened, chosen) {
    const node = chosen ?? this.#draw(tried);
    if (node === undefined || client.destroyed) return client.destroy();
    const upstream = connect({ host: node.host, port: node[protocol], noDelay: true });
    let isOpen = false;
    const timer = setTimeout(() => upstream.destroy(new Error('slow')), CONNECT_WITHIN_MS);
    upstream.once('connect', () => {
      isOpen = true;
      clearTimeout(timer);
      this.#own(upstream);
      opened(upstream);
      client.pipe(upstream).pipe(client);
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
    });
    upstream.on('error', () => {
      clearTimeout(timer);
      if (isOpen) return client.destroy();
      this.#leaveOut(node);
      if (chosen !== undefined) return client.destroy();
      this.#pipe(client, protocol, [...tried, node], opened);
    });
  }

  // ---- HTTP

  #httpServer(protocol, isSticky) {
    const server = createServer({ keepAliveTimeout: 30_000, maxHeaderSize: 65_536 });
    server.on('request', (client, answer) => this.#forward(protocol, isSticky, client, answer, []));
    server.on('checkContinue', (client, answer) => {
      answer.writeContinue();
      this.#forward(protocol, isSticky, client, answer, []);
    });
    server.on('upgrade', (client, socket, head) => {
      socket.pause();
      const opened = (upstream) => {
        upstream.write(`${client.method} ${client.url} HTTP/1.1\r\n${rawHeaderLines(client)}\r\n`);
        if (head.length > 0) upstream.write(head);
      };
      this.#pipe(socket, protocol, [], opened, isSticky ? this.#nodeOf(client) : undefined);
    });
    server.on('clientError', (error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    });
    return server;
  }

  #forward(protocol, isSticky, client, answer, tried) {
    const held = isSticky ? this.#nodeOf(client) : undefined;
    const node = held ?? this.#draw(tried);
    if (node === undefined) return refuse(answer, 503);
    const upstream = request({
      host: node.host,
      port: node[protocol],
      method: client.method,
      path: client.url,
      headers: client.rawHeaders,
      agent: this.#agent,
      setHost: false,
    });
    let isConnected = false;
    let isAnswered = false;
    // The body stays with the client until there is a connection, so that another node can have all of it.
    const send = () => {
      isConnected = true;
      client.pipe(upstream);
    };
    upstream.on('socket', (socket) => {
      if (!socket.connecting) return send();
      const timer = setTimeout(() => upstream.destroy(new Error('slow')), CONNECT_WITHIN_MS);
      socket.once('connect', send);
      socket.once('connect', () => clearTimeout(timer));
      socket.once('close', () => clearTimeout(timer));
    });
    upstream.on('response', (response) => {
      isAnswered = true;
      if (isSticky && held === undefined) this.#learn(node, response);
      answer.writeHead(response.statusCode, response.statusMessage, response.rawHeaders);
      response.pipe(answer);
      response.on('error', () => answer.destroy());
      response.on('aborted', () => answer.destroy());
    });
    upstream.on('error', () => {
      if (isAnswered || answer.destroyed) return answer.destroy();
      // Nothing was sent to a node that could not be reached, so another one may have the request. A request that was
      // sent may have been carried out: the client has to know that this is unknown.
      if (isConnected) return refuse(answer, 502);
      this.#leaveOut(node);
      if (held !== undefined) return refuse(answer, 502);
      answer.off('close', abandon);
      this.#forward(protocol, isSticky, client, answer, [...tried, node]);
    });
    const abandon = () => {
      if (!answer.writableFinished) upstream.destroy();
    };
    answer.on('close', abandon);
  }

  // ---- sessions of socket.io

  #nodeOf({ url }) {
    const [, sid] = /[?&]sid=([\w-]+)/.exec(url) ?? [];
    return this.#sessions.get(sid)?.node;
  }

  /** The answer that opens a session names it. */
  #learn(node, response) {
    let text = '';
    response.on('data', (chunk) => {
      if (text.length > HANDSHAKE_LENGTH) return;
      text += chunk.toString('latin1');
      const [, sid] = /"sid":"([\w-]+)"/.exec(text) ?? [];
      if (sid === undefined) return;
      text = ' '.repeat(HANDSHAKE_LENGTH + 1);
      this.#sessions.set(sid, { node, atMs: performance.now() });
      for (const [old, { atMs }] of this.#sessions) {
        if (performance.now() - atMs < SESSION_KEPT_MS) break;
        this.#sessions.delete(old);
      }
    });
  }
}

function rawHeaderLines({ rawHeaders }) {
  let lines = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  }
  return lines;
}

function refuse(answer, status) {
  if (answer.headersSent) return answer.destroy();
  const message = status === 503 ? 'No node can be reached' : 'The node went away';
  answer.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
  answer.end(JSON.stringify({ status, error: { status, message }, result: null }));
}
