import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Answer } from './Row.js';

const PROGRAM = fileURLToPath(new URL('./serverUnderGrowth.mjs', import.meta.url));
/** Two measurements that differ by fewer bytes are equal. */
const UNSETTLED_BYTES = 200_000;
const OVERLOADED_MS = 60_000;
const RETRY_MS = 500;
const PASSWORD = 'correct-horse-battery-41';

interface HttpText {
  readonly text?: string;
  /** As a trusted proxy reports it. */
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpOptions extends Omit<HttpText, 'text'> {
  readonly body?: JsonValue;
  /** Default: the administrator's; null: none. */
  readonly jwt?: string | null;
}

/** The server process of `serverUnderGrowth.mjs`, locked, with a collection `city/stations`. */
export class MeasuredServer {
  adminJwt = '';
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  private constructor(
    private readonly child: ChildProcess,
    /** By protocol. */
    readonly urls: Readonly<Record<string, string>>,
  ) {}

  static async start(config: JsonObject): Promise<MeasuredServer> {
    const child = fork(PROGRAM, [JSON.stringify(config)], { execArgv: ['--expose-gc'] });
    const [urls] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`ended with ${code}`))),
    ])) as [Record<string, string>];
    const server = new MeasuredServer(child, urls);
    await server.http('POST', '/_createFirstAdmin', {
      body: { _id: 'root', password: PASSWORD },
      jwt: null,
    });
    server.adminJwt = await server.login('root');
    await server.expect('PUT', '/city');
    await server.expect('PUT', '/city/stations');
    return server;
  }

  /** Bytes of the JavaScript heap and outside of it that are in use, once they no longer become fewer. */
  async settled(): Promise<number> {
    let bytes = await this.measure();
    for (;;) {
      const next = await this.measure();
      if (next > bytes - UNSETTLED_BYTES) return Math.min(bytes, next);
      bytes = next;
    }
  }

  private async measure(): Promise<number> {
    const answered = once(this.child, 'message');
    this.child.send('measure');
    return ((await answered) as [number])[0];
  }

  /** A request as it is, of a protocol over HTTP. */
  async send(
    protocol: 'http' | 'fallback',
    method: string,
    path: string,
    { text, address, headers }: HttpText = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    const sent = request(`${this.urls[protocol] ?? ''}${path}`, {
      method,
      agent: this.agent,
      headers: { ...(address !== undefined && { 'x-forwarded-for': address }), ...headers },
    });
    sent.end(text);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
  }

  async http(method: string, path: string, options: HttpOptions = {}): Promise<Answer> {
    const { body, jwt = this.adminJwt, address, headers } = options;
    const { text } = await this.send('http', method, path, {
      ...(address !== undefined && { address }),
      ...(body !== undefined && { text: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(jwt !== null && jwt !== '' && { authorization: `Bearer ${jwt}` }),
        ...headers,
      },
    });
    return JSON.parse(text) as Answer;
  }

  /** A request that must succeed; sent again as long as the server of a busy machine is overloaded. */
  async expect(method: string, path: string, options?: HttpOptions): Promise<JsonObject> {
    const endMs = performance.now() + OVERLOADED_MS;
    for (;;) {
      const { status, result, error } = await this.http(method, path, options);
      if (status === 200) return result;
      if (error?.id !== 'core.overloaded' || performance.now() > endMs)
        throw new Error(`${method} ${path}: ${status} ${error?.message ?? ''}`);
      await sleep(RETRY_MS);
    }
  }

  /** A token by the strategy that takes any password. */
  async login(username: string): Promise<string> {
    const body = { username, password: PASSWORD };
    const { jwt } = await this.expect('POST', '/_login/named', { body, jwt: null });
    return jwt as string;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}
