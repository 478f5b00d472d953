import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';

/** Passes WebSocket messages on to a server, and leaves one of the server's messages out. */
export class LossyProxy {
  /** Number of messages that were left out. */
  dropped = 0;
  #target;
  #server;
  #isDropped = () => false;

  constructor(url) {
    this.#target = url;
  }

  /** @returns the port */
  async open() {
    this.#server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(this.#server, 'listening');
    this.#server.on('connection', (client) => this.#connect(client));
    return this.#server.address().port;
  }

  /** Leaves out message number `n` (from 0) of those that match. */
  drop(matches, n) {
    let count = 0;
    this.#isDropped = (message) => matches(message) && count++ === n;
  }

  /** Cuts all connections. */
  cut() {
    for (const client of this.#server.clients) client.terminate();
  }

  close() {
    this.cut();
    this.#server.close();
  }

  #connect(client) {
    const server = new WebSocket(this.#target);
    const early = [];
    client.on('message', (data) => {
      if (server.readyState === WebSocket.OPEN) server.send(data.toString());
      else early.push(data.toString());
    });
    server.on('open', () => early.forEach((each) => server.send(each)));
    server.on('message', (data) => {
      const text = data.toString();
      if (this.#isDropped(JSON.parse(text))) this.dropped++;
      else client.send(text);
    });
    server.on('error', () => undefined);
    client.on('error', () => undefined);
    client.on('close', () => server.terminate());
    server.on('close', () => client.terminate());
  }
}
