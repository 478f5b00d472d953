/*
 * The way to the server. Every request goes through `ask`, which decides what is tried again:
 *
 * - a request that changes nothing (`isSafe`), or that certainly did not get there, or that the server turned away as
 *   busy, until `retryMs` are over, with growing waits;
 * - nothing else: a write whose answer got lost may have happened, and is reported as unavailable.
 *
 * A server that accepts connections and never answers (stopped, swapping) would hold a search for the whole of its time
 * limit. So while an answer takes long, the server is asked for a sign of life, and without one the request is given up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientOptions } from '@elastic/elasticsearch';
import type { Logger } from '@millrace/kernel';
import type { ElasticsearchConfig } from '../config.js';
import { ServerFailure, toServerFailure } from './ServerFailure.js';

/** One request. */
export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  /** Names in it are encoded already (`path`). */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** JSON; a list of lines makes a bulk request. */
  readonly body?: object | readonly string[];
  /** Changes nothing, so that it may be sent twice. */
  readonly isSafe: boolean;
  /** Absent: the configured limit. */
  readonly timeoutMs?: number;
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 500;
const SIGN_OF_LIFE_EVERY_MS = 3_000;
const SIGN_OF_LIFE_WITHIN_MS = 2_000;
const WARN_EVERY_MS = 10_000;

/** A path from parts that may hold anything. */
export function path(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

/** Sends requests to the cluster and tells failures apart. */
export class ElasticsearchServer {
  private readonly client: Client;
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly config: ElasticsearchConfig,
    private readonly log: Logger,
  ) {
    this.client = new Client(clientOptions(config));
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  /** @throws ServerFailure */
  async ask<T>(request: ServerRequest): Promise<T> {
    const giveUpAtMs = performance.now() + this.config.retryMs;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await this.askOnce<T>(request);
      } catch (error) {
        const failure = toServerFailure(error);
        const mayRepeat =
          failure.isPassing &&
          (request.isSafe || !failure.wasSent || failure.status === 429) &&
          failure.type !== 'timeout';
        // Half a wait of chance, so that many callers do not come back at once.
        const pauseMs = waitMs * (0.75 + Math.random() / 2);
        if (!mayRepeat || performance.now() + pauseMs > giveUpAtMs) throw failure;
        await sleep(pauseMs);
      }
    }
  }

  /** As `ask`, with an absent thing (404) as null. */
  async find<T>(request: ServerRequest): Promise<T | null> {
    try {
      return await this.ask<T>(request);
    } catch (error) {
      if (error instanceof ServerFailure && error.status === 404) return null;
      throw error;
    }
  }

  private async askOnce<T>({ method, path: target, query, body, timeoutMs }: ServerRequest) {
    const limitMs = timeoutMs ?? this.config.requestTimeoutMs;
    const abort = new AbortController();
    const watch = this.watch(abort, limitMs);
    try {
      const isBulk = Array.isArray(body);
      return (await this.client.transport.request(
        {
          method,
          path: target,
          ...(query === undefined ? {} : { querystring: { ...query } }),
          ...(body === undefined ? {} : isBulk ? { bulkBody: body as string[] } : { body }),
        },
        {
          requestTimeout: limitMs,
          maxRetries: 0,
          signal: abort.signal,
          headers: {
            accept: 'application/vnd.elasticsearch+json; compatible-with=8',
            ...(body === undefined
              ? {}
              : {
                  'content-type': `application/vnd.elasticsearch+${isBulk ? 'x-ndjson' : 'json'}; compatible-with=8`,
                }),
          },
        },
      )) as T;
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      throw new ServerFailure(0, 'timeout', 'Elasticsearch does not answer', true, error);
    } finally {
      clearInterval(watch);
    }
  }

  /** One line for all the requests that are waiting. */
  private warn(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.log.warn({ err: error }, 'Elasticsearch gives no sign of life');
  }

  private watch(abort: AbortController, limitMs: number): NodeJS.Timeout | undefined {
    if (limitMs <= SIGN_OF_LIFE_EVERY_MS) return undefined;
    const look = async (): Promise<void> => {
      try {
        await this.client.ping({}, { requestTimeout: SIGN_OF_LIFE_WITHIN_MS, maxRetries: 0 });
      } catch (error) {
        if (toServerFailure(error).status !== 0) return;
        this.warn(error);
        abort.abort();
      }
    };
    return setInterval(() => void look(), SIGN_OF_LIFE_EVERY_MS).unref();
  }
}

function clientOptions(config: ElasticsearchConfig): ClientOptions {
  const { apiKey, username, password, tlsCa } = config;
  const auth = apiKey !== '' ? { apiKey } : username !== '' ? { username, password } : undefined;
  return {
    nodes: config.node.split(',').map((node) => node.trim()),
    maxRetries: 0,
    requestTimeout: config.requestTimeoutMs,
    // Keys such as `__proto__` are plain data here: answers are read by `JSON.parse`, which defines them.
    disablePrototypePoisoningProtection: true,
    ...(auth === undefined ? {} : { auth }),
    ...(tlsCa === '' ? {} : { tls: { ca: tlsCa } }),
  };
}
