import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What the proxy shows and demands. */
export interface TlsProxyOptions {
  readonly key: string;
  readonly cert: string;
  readonly authorization: string;
  readonly host: string;
}

/** Makes an Elasticsearch without security behave as one with security: TLS, and 401 without the right login. */
export class TlsProxy {
  /** Every `Authorization` that came, in order. */
  readonly logins: (string | undefined)[] = [];
  /** The only one that is let through. */
  authorization: string;
  private readonly host: string;
  private readonly server: Server;

  constructor(
    private readonly target: URL,
    { key, cert, authorization, host }: TlsProxyOptions,
  ) {
    this.authorization = authorization;
    this.host = host;
    this.server = createServer({ key, cert }, (near, answer) => this.pass(near, answer));
    this.server.on('tlsClientError', () => undefined);
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, this.host, resolve);
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `https://<host>:<port>`, with a login where one is given. */
  url(login = ''): string {
    return `https://${login === '' ? '' : `${login}@`}${this.host}:${this.port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  private pass(near: IncomingMessage, answer: ServerResponse): void {
    const { authorization, ...headers } = near.headers;
    this.logins.push(authorization);
    if (authorization !== this.authorization) {
      refuse(near, answer);
      return;
    }
    const { hostname, port } = this.target;
    const far = request({ hostname, port, method: near.method, path: near.url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    far.on('error', () => answer.destroy());
    near.pipe(far);
  }
}

/** As a server with security answers. */
function refuse(near: IncomingMessage, answer: ServerResponse): void {
  near.resume();
  const reason = 'unable to authenticate user [..] for REST request [/]';
  const type = 'security_exception';
  answer.writeHead(401, {
    'content-type': 'application/vnd.elasticsearch+json;compatible-with=8',
    'www-authenticate': 'Basic realm="security", charset="UTF-8"',
    'x-elastic-product': 'Elasticsearch',
  });
  answer.end(JSON.stringify({ error: { root_cause: [{ type, reason }], type, reason }, status: 401 }));
}
