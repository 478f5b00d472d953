import { once } from 'node:events';
import { createServer, request } from 'node:http';

/** Passes HTTP on to a server, and leaves one event of its streams out. The same interface as `LossyProxy`. */
export class LossyStreams {
  /** Number of events that were left out. */
  dropped = 0;
  #target;
  #server;
  #isDropped = () => false;

  constructor(url) {
    this.#target = new URL(url);
  }

  /** @returns the port */
  async open() {
    this.#server = createServer((client, answer) => this.#pass(client, answer));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this.#server.address().port;
  }

  /** Leaves out event number `n` (from 0) of those that match. */
  drop(matches, n) {
    let count = 0;
    this.#isDropped = (message) => matches(message) && count++ === n;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #pass(client, answer) {
    const { hostname, port } = this.#target;
    const { method, url: path, headers } = client;
    const forwarded = request({ hostname, port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      answer.flushHeaders();
      const isStream = response.headers['content-type']?.startsWith('text/event-stream');
      if (isStream) this.#passEvents(response, answer);
      else response.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    client.pipe(forwarded);
  }

  #passEvents(response, answer) {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (text) => {
      const events = (rest + text).split('\n\n');
      rest = events.pop();
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined && this.#isDropped(JSON.parse(data))) this.dropped++;
        else answer.write(`${event}\n\n`);
      }
    });
    response.on('end', () => answer.end());
    response.on('error', () => answer.destroy());
  }
}
