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
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import { readAnswer } from './readAnswer.js';
import { CANCELLED, GIVEN_UP, ServerFailure, toServerFailure } from './ServerFailure.js';

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
  /** How long the answer is worth waiting for, tries together: then the request is ended, on the server too. */
  readonly giveUpAfterMs?: number;
  /** Name of the server's task for it, to be asked after (`runs`). */
  readonly taskName?: string;
  /** Aborted: the request is ended, on the server too. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes that the answer may have. Absent: as many as a string of V8. */
  readonly maxBytes?: number | undefined;
}

interface TaskList {
  readonly nodes?: Readonly<
    Record<
      string,
      {
        readonly tasks: Readonly<
          Record<string, { readonly headers?: Readonly<Record<string, string>> }>
        >;
      }
    >
  >;
}

/**
 * The client's own limit, longer than any of ours: it also bounds how long the client waits for the first and for the
 * next byte of any answer.
 */
const CLIENT_TIMEOUT_MS = 3_600_000;
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
    const startedAtMs = performance.now();
    const { giveUpAfterMs = Infinity } = request;
    const giveUpAtMs = startedAtMs + Math.min(this.config.retryMs, giveUpAfterMs);
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await this.askOnce<T>(request, startedAtMs + giveUpAfterMs);
      } catch (error) {
        const failure = toServerFailure(error);
        const mayRepeat =
          failure.isPassing &&
          (request.isSafe || !failure.wasSent || failure.status === 429) &&
          failure.type !== 'timeout' &&
          !failure.isGivenUp &&
          !(failure.isTooLarge && giveUpAfterMs < Infinity);
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

  /** @throws ServerFailure where no answer comes from the server within `withinMs` */
  async ping(withinMs: number): Promise<void> {
    await this.ask({ method: 'HEAD', path: '/', isSafe: false, timeoutMs: withinMs });
  }

  /** Whether a search is still under way on the server. @throws ServerFailure */
  async runs(taskName: string): Promise<boolean> {
    const { nodes = {} } = await this.ask<TaskList>({
      method: 'GET',
      path: '/_tasks',
      query: { actions: 'indices:data/read/search*' },
      isSafe: true,
    });
    return Object.values(nodes)
      .flatMap(({ tasks }) => Object.values(tasks))
      .some(({ headers }) => headers?.['X-Opaque-Id'] === taskName);
  }

  private async askOnce<T>(
    { method, path: target, query, body, timeoutMs, taskName, signal, maxBytes }: ServerRequest,
    giveUpAtMs: number,
  ) {
    if (hasLeft(signal)) throw cancelled();
    const limitMs = timeoutMs ?? this.config.requestTimeoutMs;
    const abort = new AbortController();
    const leave = (): void => {
      abort.abort();
    };
    signal?.addEventListener('abort', leave);
    const watch = this.watch(abort, limitMs);
    let isGivenUp = false;
    const end = Number.isFinite(giveUpAtMs)
      ? setTimeout(() => {
          isGivenUp = true;
          abort.abort();
        }, giveUpAtMs - performance.now())
      : undefined;
    try {
      const isBulk = Array.isArray(body);
      const asked = {
        method,
        path: target,
        ...(query === undefined ? {} : { querystring: { ...query } }),
        ...(body === undefined ? {} : isBulk ? { bulkBody: body as string[] } : { body }),
      };
      const options = {
        requestTimeout: limitMs,
        maxRetries: 0,
        signal: abort.signal,
        headers: {
          ...(taskName === undefined ? {} : { 'x-opaque-id': taskName }),
          accept: 'application/vnd.elasticsearch+json; compatible-with=8',
          ...(body === undefined
            ? {}
            : {
                'content-type': `application/vnd.elasticsearch+${isBulk ? 'x-ndjson' : 'json'}; compatible-with=8`,
              }),
        },
      };
      const { transport } = this.client;
      if (maxBytes === undefined) return (await transport.request(asked, options)) as T;
      const answer = await transport.request(asked, { ...options, asStream: true, meta: true });
      return (await readAnswer(answer, maxBytes)) as T;
    } catch (error) {
      if (hasLeft(signal)) throw cancelled(error);
      if (!abort.signal.aborted) throw error;
      if (isGivenUp) {
        throw new ServerFailure(0, GIVEN_UP, 'Elasticsearch did not answer in time', true, error);
      }
      throw new ServerFailure(0, 'timeout', 'Elasticsearch does not answer', true, error);
    } finally {
      signal?.removeEventListener('abort', leave);
      clearTimeout(end);
      clearInterval(watch);
    }
  }

  /** One line for all the requests that are waiting. */
  private warn(reason: string): void {
    const nowMs = performance.now();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.log.warn({ reason }, 'Elasticsearch gives no sign of life');
  }

  private watch(abort: AbortController, limitMs: number): NodeJS.Timeout | undefined {
    if (limitMs <= SIGN_OF_LIFE_EVERY_MS) return undefined;
    const look = async (): Promise<void> => {
      try {
        await this.client.ping({}, { requestTimeout: SIGN_OF_LIFE_WITHIN_MS, maxRetries: 0 });
      } catch (error) {
        const { status, reason } = toServerFailure(error);
        if (status !== 0) return;
        this.warn(reason);
        abort.abort();
      }
    };
    return setInterval(() => void look(), SIGN_OF_LIFE_EVERY_MS).unref();
  }
}

function hasLeft(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function cancelled(cause?: unknown): ServerFailure {
  return new ServerFailure(0, CANCELLED, 'the caller has left', true, cause);
}

function clientOptions(config: ElasticsearchConfig): ClientOptions {
  const { apiKey, tlsCa, tlsRejectUnauthorized } = config;
  const addresses = config.node.split(',').map((node) => new URL(node.trim()));
  const login = loginOf(config, addresses);
  const auth = apiKey !== '' ? { apiKey } : login;
  return {
    nodes: addresses.map(withoutLogin),
    maxRetries: 0,
    requestTimeout: CLIENT_TIMEOUT_MS,
    // Keys such as `__proto__` are plain data here: answers are read by `JSON.parse`, which defines them.
    disablePrototypePoisoningProtection: true,
    ...(auth === undefined ? {} : { auth }),
    tls: { rejectUnauthorized: tlsRejectUnauthorized, ...(tlsCa === '' ? {} : { ca: tlsCa }) },
  };
}

function loginOf(
  { username, password }: ElasticsearchConfig,
  addresses: readonly URL[],
): { readonly username: string; readonly password: string } | undefined {
  if (username !== '') return { username, password };
  const address = addresses.find((each) => each.username !== '');
  if (address === undefined) return undefined;
  return {
    username: decodeURIComponent(address.username),
    password: decodeURIComponent(address.password),
  };
}

/** The client shows addresses in its errors. */
function withoutLogin(address: URL): string {
  const bare = new URL(address);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
