import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** How long a half-open connection is kept before it is closed. */
const HALF_OPEN_MS = 4_000;
const MAX_DELAY_MS = 300;

/** A way to a port of the server whose connections break in the ways in which networks do. */
export class FaultProxy {
  cuts = 0;
  delays = 0;
  #pairs = new Set();
  #server;
  #port;

  /** @param random gives numbers from 0 to 1 */
  constructor(random) {
    this.random = random;
  }

  /** Where new connections go from now on. */
  set target(url) {
    this.#port = Number(new URL(url).port);
  }

  async open() {
    this.#server = createServer((client) => this.#accept(client));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this.#server.address().port;
  }

  /** Breaks one of the connections, if there is one. */
  breakOne() {
    const pairs = [...this.#pairs].filter(({ isBroken }) => !isBroken);
    const pair = pairs[Math.floor(this.random() * pairs.length)];
    if (pair === undefined) return;
    const kind = this.random();
    if (kind < 0.15) return this.#delay(pair);
    this.cuts++;
    pair.isBroken = true;
    if (kind < 0.4) pair.close();
    else if (kind < 0.6) pair.reset();
    else if (kind < 0.85) this.#cutInsideMessage(pair);
    else this.#halfOpen(pair);
  }

  closeAll() {
    for (const pair of this.#pairs) pair.close();
  }

  close() {
    this.#server.close();
    this.closeAll();
  }

  #accept(client) {
    const server = connect(this.#port, '127.0.0.1');
    const close = () => {
      client.destroy();
      server.destroy();
      this.#pairs.delete(pair);
    };
    const reset = () => {
      client.resetAndDestroy();
      server.resetAndDestroy();
      this.#pairs.delete(pair);
    };
    const pair = { client, server, close, reset, isBroken: false };
    this.#pairs.add(pair);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', close);
    }
    client.pipe(server);
    server.pipe(client);
  }

  #delay({ client, server }) {
    this.delays++;
    for (const socket of [client, server]) socket.pause();
    const resume = () => [client, server].forEach((socket) => socket.resume());
    setTimeout(resume, this.random() * MAX_DELAY_MS).unref();
  }

  /** Passes on a part of the next bytes of the server only. */
  #cutInsideMessage({ client, server, close }) {
    server.unpipe(client);
    server.once('data', (bytes) => {
      client.write(bytes.subarray(0, Math.floor(this.random() * bytes.length)));
      setImmediate(close);
    });
    setTimeout(close, HALF_OPEN_MS).unref();
  }

  /** Nothing passes, and neither side is notified. */
  #halfOpen({ client, server, close }) {
    client.unpipe(server);
    server.unpipe(client);
    setTimeout(close, HALF_OPEN_MS).unref();
  }
}
