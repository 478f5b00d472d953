import type { IncomingMessage, ServerResponse } from 'node:http';
import { Lifetime, type Connection, type HttpRequestFacts } from '@millrace/kernel';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';

/**
 * One HTTP exchange as the connection of its request: it closes if the client disconnects before the answer is
 * complete.
 */
export class ExchangeConnection implements Connection {
  readonly protocol = PROTOCOL_NAME;
  private ownLifetime: Lifetime | undefined;

  constructor(
    private readonly number: number,
    readonly remoteAddress: string,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly route: string | undefined,
  ) {}

  get id(): string {
    return `${PROTOCOL_NAME}-${this.number}`;
  }

  get http(): HttpRequestFacts {
    const { method = '', url = '' } = this.request;
    const [path = ''] = url.split('?', 1);
    return { method, path, route: this.route };
  }

  /** Created on first access: most exchanges never wait. */
  get lifetime(): Lifetime {
    if (this.ownLifetime === undefined) {
      const lifetime = new Lifetime();
      this.ownLifetime = lifetime;
      if (this.response.destroyed) lifetime.close();
      else this.response.once('close', () => lifetime.close());
    }
    return this.ownLifetime;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }
}
