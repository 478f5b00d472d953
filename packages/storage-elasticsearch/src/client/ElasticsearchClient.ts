/*
 * Sends all requests to Elasticsearch. Every request goes through `ask`, which decides about retries:
 *
 * - Retried with growing waits until `retryMs` have passed: requests that change nothing (`isSafe`), that certainly did
 *   not arrive, or that Elasticsearch refused as busy.
 * - Nothing else: a write whose response was lost may have been applied, and is reported as unavailable.
 *
 * A process that accepts connections and never responds (stopped, swapping) would hold a search for its whole time
 * limit. So while a response is slow, Elasticsearch is pinged, and the request is abandoned if the ping fails.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientOptions } from '@elastic/elasticsearch';
import type { Logger } from '@millrace/kernel';
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import { ElasticsearchPresence } from './ElasticsearchPresence.js';
import { readAnswer } from './readAnswer.js';
import { CANCELLED, GIVEN_UP, ElasticsearchFailure, toElasticsearchFailure } from './ElasticsearchFailure.js';

/** One request. */
export interface ElasticsearchRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  /** Its parts are already encoded (`path`). */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** JSON; a list of lines makes a bulk request. */
  readonly body?: object | readonly string[];
  /** Changes nothing, so that it may be sent twice. */
  readonly isSafe: boolean;
  /** Absent: the configured limit. */
  readonly timeoutMs?: number;
  /** Time limit of all attempts together; then the request is cancelled, in Elasticsearch too. */
  readonly giveUpAfterMs?: number;
  /** Name of its task in Elasticsearch, for `runs`. */
  readonly taskName?: string;
  /** Cancels the request, in Elasticsearch too. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum size of the response in bytes. Absent: the longest string that V8 supports. */
  readonly maxBytes?: number | undefined;
}

interface TaskList {
  readonly nodes?: Readonly<
    Record<
      string,
      {
        readonly tasks: Readonly<Record<string, { readonly headers?: Readonly<Record<string, string>> }>>;
      }
    >
  >;
}

/**
 * The client's limit, longer than any of ours: it also bounds how long the client waits for the first and the next byte
 * of any response.
 */
const CLIENT_TIMEOUT_MS = 3_600_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 500;
const SIGN_OF_LIFE_EVERY_MS = 3_000;
const SIGN_OF_LIFE_WITHIN_MS = 2_000;

/** Builds a path from arbitrary strings, which it encodes. */
export function path(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

/** Sends requests to the cluster and classifies failures. */
export class ElasticsearchClient {
  private readonly client: Client;
  private readonly presence: ElasticsearchPresence;

  constructor(
    private readonly config: ElasticsearchConfig,
    log: Logger,
  ) {
    this.client = new Client(clientOptions(config));
    this.presence = new ElasticsearchPresence(() => this.signOfLife(), log);
  }

  /** Logs from now on when Elasticsearch is away, and when it is back. */
  watch(): void {
    this.presence.start();
  }

  async close(): Promise<void> {
    this.presence.stop();
    await this.client.close();
  }

  /** @throws ElasticsearchFailure */
  async ask<T>(request: ElasticsearchRequest): Promise<T> {
    const startedAtMs = performance.now();
    const { giveUpAfterMs = Infinity } = request;
    const giveUpAtMs = startedAtMs + Math.min(this.config.retryMs, giveUpAfterMs);
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        const answer = await this.askOnce<T>(request, startedAtMs + giveUpAfterMs);
        this.presence.answered();
        return answer;
      } catch (error) {
        const failure = toElasticsearchFailure(error);
        const mayRepeat =
          failure.isPassing &&
          (request.isSafe || !failure.wasSent || failure.status === 429) &&
          failure.type !== 'timeout' &&
          !failure.isGivenUp &&
          !(failure.isTooLarge && giveUpAfterMs < Infinity);
        // Jitter of half a wait, so that many callers do not retry at the same time.
        const pauseMs = waitMs * (0.75 + Math.random() / 2);
        if (!mayRepeat || performance.now() + pauseMs > giveUpAtMs) {
          if (failure.status === 0 && failure.isPassing) void this.presence.look();
          throw failure;
        }
        await sleep(pauseMs);
      }
    }
  }

  /** As `ask`, but returns null for a 404. */
  async find<T>(request: ElasticsearchRequest): Promise<T | null> {
    try {
      return await this.ask<T>(request);
    } catch (error) {
      if (error instanceof ElasticsearchFailure && error.status === 404) return null;
      throw error;
    }
  }

  /** @throws ElasticsearchFailure if Elasticsearch does not respond within `withinMs` */
  async ping(withinMs: number): Promise<void> {
    await this.ask({ method: 'HEAD', path: '/', isSafe: false, timeoutMs: withinMs });
  }

  /** Whether a search still runs in Elasticsearch. @throws ElasticsearchFailure */
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

  private async askOnce<T>(request: ElasticsearchRequest, giveUpAtMs: number) {
    const { timeoutMs, signal, maxBytes } = request;
    if (hasLeft(signal)) throw cancelled();
    const limitMs = timeoutMs ?? this.config.requestTimeoutMs;
    const abort = new AbortController();
    const leave = (): void => {
      abort.abort();
    };
    signal?.addEventListener('abort', leave);
    const watch = this.watchOver(abort, limitMs);
    let isGivenUp = false;
    const end = Number.isFinite(giveUpAtMs)
      ? setTimeout(() => {
          isGivenUp = true;
          abort.abort();
        }, giveUpAtMs - performance.now())
      : undefined;
    try {
      const [asked, headers] = toTransport(request);
      const options = {
        requestTimeout: limitMs,
        maxRetries: 0,
        signal: abort.signal,
        headers,
      };
      const { transport } = this.client;
      if (maxBytes === undefined) return (await transport.request(asked, options)) as T;
      const answer = await transport.request(asked, { ...options, asStream: true, meta: true });
      return (await readAnswer(answer, maxBytes)) as T;
    } catch (error) {
      if (hasLeft(signal)) throw cancelled(error);
      if (!abort.signal.aborted) throw error;
      if (isGivenUp) {
        throw new ElasticsearchFailure(0, GIVEN_UP, 'Elasticsearch did not answer in time', true, error);
      }
      throw new ElasticsearchFailure(0, 'timeout', 'Elasticsearch does not answer', true, error);
    } finally {
      signal?.removeEventListener('abort', leave);
      clearTimeout(end);
      clearInterval(watch);
    }
  }

  private signOfLife(): Promise<unknown> {
    return this.client.ping({}, { requestTimeout: SIGN_OF_LIFE_WITHIN_MS, maxRetries: 0 });
  }

  /** Abandons a request that takes long if Elasticsearch gives no sign of life. */
  private watchOver(abort: AbortController, limitMs: number): NodeJS.Timeout | undefined {
    if (limitMs <= SIGN_OF_LIFE_EVERY_MS) return undefined;
    const look = async (): Promise<void> => {
      try {
        await this.signOfLife();
      } catch (error) {
        const { status, reason } = toElasticsearchFailure(error);
        if (status !== 0) return;
        this.presence.lost(reason);
        abort.abort();
      }
    };
    return setInterval(() => void look(), SIGN_OF_LIFE_EVERY_MS).unref();
  }
}

function hasLeft(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function cancelled(cause?: unknown): ElasticsearchFailure {
  return new ElasticsearchFailure(0, CANCELLED, 'the caller has left', true, cause);
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
    // Keys such as `__proto__` are plain data here: responses are read by `JSON.parse`, which defines them.
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

/** The client includes addresses in its errors. */
function withoutLogin(address: URL): string {
  const bare = new URL(address);
  bare.username = '';
  bare.password = '';
  return bare.href;
}

/** The request and its headers in the form of the client library. */
function toTransport({ method, path, query, body, taskName }: ElasticsearchRequest) {
  const isBulk = Array.isArray(body);
  const type = `application/vnd.elasticsearch+${isBulk ? 'x-ndjson' : 'json'}; compatible-with=8`;
  const asked = {
    method,
    path,
    ...(query === undefined ? {} : { querystring: { ...query } }),
    ...(body === undefined ? {} : isBulk ? { bulkBody: body as string[] } : { body }),
  };
  const headers = {
    ...(taskName === undefined ? {} : { 'x-opaque-id': taskName }),
    accept: 'application/vnd.elasticsearch+json; compatible-with=8',
    ...(body === undefined ? {} : { 'content-type': type }),
  };
  return [asked, headers] as const;
}
