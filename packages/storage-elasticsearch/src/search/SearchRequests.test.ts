import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@millrace/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import { ElasticsearchClient } from '../client/ElasticsearchClient.js';
import { SearchRequests } from './SearchRequests.js';

const SEARCH = { method: 'POST', path: '/a/_search', body: {}, isSafe: true } as const;
const EXCESS = { path: 'aggs.a' };

describe('SearchRequests', () => {
  let near: Server;
  let elasticsearch: ElasticsearchClient;
  let requests: SearchRequests;
  let limits: { costlySearchTimeoutMs: number; costlySearchConcurrency: number };
  let answerSearch: (request: IncomingMessage, response: ServerResponse) => void;
  let isDeaf = false;
  let searchCount = 0;
  let tasks: string[] = [];

  beforeEach(async () => {
    isDeaf = false;
    searchCount = 0;
    near = createServer((request, response) => {
      response.setHeader('x-elastic-product', 'Elasticsearch');
      response.setHeader('content-type', 'application/json');
      if (request.method === 'HEAD') {
        if (!isDeaf) response.end();
        return;
      }
      if (request.url?.startsWith('/_tasks') === true) {
        const listed = tasks.map((name) => ({ headers: { 'X-Opaque-Id': name } }));
        response.end(JSON.stringify({ nodes: { n: { tasks: { ...listed } } } }));
        return;
      }
      searchCount += 1;
      answerSearch(request, response);
    });
    await new Promise<void>((resolve) => near.listen(0, '127.0.0.1', resolve));
    const config: ElasticsearchConfig = {
      username: '',
      password: '',
      apiKey: '',
      tlsCa: '',
      tlsRejectUnauthorized: true,
      prefix: 'millrace',
      shards: 1,
      replicas: 0,
      refreshIntervalMs: 1_000,
      costlySearchTimeoutMs: 800,
      costlySearchConcurrency: 2,
      retryMs: 2_000,
      startTimeoutMs: 15_000,
      bulkMaxBytes: 4_000_000,
      bulkMaxOperations: 1_000,
      bulkConcurrency: 4,
      node: `http://127.0.0.1:${(near.address() as AddressInfo).port}`,
      requestTimeoutMs: 100,
    };
    elasticsearch = new ElasticsearchClient(config, silentLogger);
    limits = { costlySearchTimeoutMs: 200, costlySearchConcurrency: 1 };
    requests = new SearchRequests(elasticsearch, limits);
    tasks = [];
  });
  afterEach(async () => {
    near.closeAllConnections();
    await elasticsearch.close();
    await new Promise((resolve) => near.close(resolve));
  });

  it('ends a costly search that takes too long, and refuses it (SEARCH-73)', async () => {
    let ended: () => void;
    const hasEnded = new Promise<void>((resolve) => (ended = resolve));
    answerSearch = (request) => request.socket.once('close', () => ended());
    await expect(requests.ask(SEARCH, EXCESS)).rejects.toMatchObject({
      id: 'query.invalid',
      status: 400,
      message: expect.stringMatching(/takes longer than the 200 ms .*\(at aggs\.a\)/) as unknown,
    });
    await hasEnded;
    expect(searchCount).toBe(1);
  });

  it('lets an ordinary search take longer, also than other requests may', async () => {
    answerSearch = (_, response) => setTimeout(() => response.end('{"hits":1}'), 500);
    await expect(requests.ask(SEARCH, undefined)).resolves.toEqual({ hits: 1 });
  });

  it('runs few costly searches at a time, those included that Elasticsearch goes on with', async () => {
    answerSearch = ({ headers }) => tasks.push(String(headers['x-opaque-id']));
    await expect(requests.ask(SEARCH, EXCESS)).rejects.toThrow('takes longer');
    expect(tasks).toHaveLength(1);
    await expect(requests.ask(SEARCH, EXCESS)).rejects.toMatchObject({
      id: 'query.invalid',
      message: expect.stringContaining('may not run with as many others') as unknown,
    });
    expect(searchCount).toBe(1);
    tasks = [];
    limits.costlySearchTimeoutMs = 60_000;
    answerSearch = (_, response) => response.end('{"hits":1}');
    await expect.poll(() => requests.ask(SEARCH, EXCESS).catch(() => undefined)).toEqual({ hits: 1 });
    await expect(requests.ask(SEARCH, EXCESS)).resolves.toEqual({ hits: 1 });
  });

  it.each([
    ['an ordinary', undefined],
    ['a costly', EXCESS],
  ] as const)('ends %s search whose caller leaves, in Elasticsearch too', async (_, excess) => {
    const caller = new AbortController();
    let ended: () => void;
    const hasEnded = new Promise<void>((resolve) => (ended = resolve));
    answerSearch = (request) => {
      request.socket.once('close', () => ended());
      caller.abort();
    };
    const asked = { ...SEARCH, signal: caller.signal };
    await expect(requests.ask(asked, excess)).rejects.toMatchObject({ type: 'cancelled' });
    await hasEnded;
    await expect(requests.ask(asked, excess)).rejects.toMatchObject({ type: 'cancelled' });
    expect(searchCount).toBe(1);
  });

  it.each([true, false])('takes no answer above the limit of a result, announced: %j', async (isAnnounced) => {
    const chunk = ' '.repeat(1024 * 1024);
    let sent = 0;
    answerSearch = (_, response) => {
      if (isAnnounced) response.setHeader('content-length', 300 * chunk.length);
      const send = (): void => {
        if (sent++ < 300 && !response.destroyed) response.write(chunk, send);
      };
      send();
    };
    await expect(requests.ask(SEARCH, undefined)).rejects.toMatchObject({ type: 'oversized' });
    expect(sent).toBeLessThan(150);
    expect(searchCount).toBe(1);
  });

  it('gives the answer of a costly search that is soon ready', async () => {
    limits.costlySearchTimeoutMs = 60_000;
    answerSearch = (_, response) => response.end('{"hits":1}');
    await expect(requests.ask(SEARCH, EXCESS)).resolves.toEqual({ hits: 1 });
  });

  it('does not blame a costly search for an Elasticsearch that hangs', async () => {
    isDeaf = true;
    answerSearch = () => undefined;
    await expect(requests.ask(SEARCH, EXCESS)).rejects.toMatchObject({ type: 'timeout' });
  });

  it('refuses at once what Elasticsearch has no memory for, and asks it again only for ordinary searches', async () => {
    const type = 'circuit_breaking_exception';
    answerSearch = (_, response) => {
      response.statusCode = 429;
      const error = {
        type: 'search_phase_execution_exception',
        reason: 'all shards failed',
        root_cause: [{ type, reason: '[request] Data too large' }],
      };
      response.end(JSON.stringify({ error, status: 429 }));
    };
    await expect(requests.ask(SEARCH, EXCESS)).rejects.toMatchObject({
      id: 'query.invalid',
      message: expect.stringContaining('needs more memory') as unknown,
    });
    expect(searchCount).toBe(1);
    searchCount = 0;
    answerSearch = (_, response) => {
      const error = { type, reason: '[parent] Data too large' };
      if (searchCount === 1) response.statusCode = 429;
      response.end(JSON.stringify(searchCount === 1 ? { error, status: 429 } : { hits: 1 }));
    };
    await expect(requests.ask(SEARCH, undefined)).resolves.toEqual({ hits: 1 });
    expect(searchCount).toBe(2);
  });
});
