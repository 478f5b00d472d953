import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Exchange } from './Exchange.js';

/** A proxy of a server that records requests and responses. */
export class RecordingProxy {
  readonly exchanges: Exchange[] = [];
  private readonly server: Server;

  constructor(private readonly targetUrl: string) {
    this.server = createServer((incoming, outgoing) => {
      void this.pass(incoming).then(
        ({ answer, bytes }) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
          outgoing.end(bytes);
        },
        () => outgoing.destroy(),
      );
    });
  }

  /** @returns its address */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(incoming: IncomingMessage) {
    const { method = 'GET', url = '/', rawHeaders } = incoming;
    const sent = await buffer(incoming);
    const target = new URL(this.targetUrl);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { hostname: host, port } = target;
      const options = { host, port, method, path: url, headers: rawHeaders, agent: false };
      const outgoing = forward(options as never, resolve);
      outgoing.on('error', reject).end(sent);
    });
    const bytes = await buffer(answer);
    this.exchanges.push({
      method,
      url,
      requestBody: sent.toString(),
      requestType: (incoming.headers['content-type'] ?? '').split(';')[0] ?? '',
      status: answer.statusCode ?? 0,
      responseType: answer.headers['content-type'] ?? '',
      responseHeaders: answer.headers,
      responseBody: bytes.toString(),
    });
    return { answer, bytes };
  }
}
