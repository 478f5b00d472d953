import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StorageEngine } from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { elasticsearchConfig } from '@millrace/server';
import { createElasticsearchEngine, type ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { discard, hasElasticsearch, NODE, startEngine, testConfig } from '../storage/openElasticsearch.js';
import {
  AUTHORITY_CERTIFICATE,
  SELF_SIGNED_CERTIFICATE,
  SELF_SIGNED_KEY,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from './testCertificates.js';
import { TlsProxy } from './TlsProxy.js';

const THINGS = { index: 'tls', collection: 'things' };
const SECRET = 'a long : pass%word';
const BASIC = `Basic ${Buffer.from(`millrace:${SECRET}`).toString('base64')}`;
const API_KEY = Buffer.from('an-id:a-very-secret-key').toString('base64');
/** However they may be written. */
const SECRETS = new RegExp(
  `pass%|${BASIC.slice(-12)}|${API_KEY.slice(0, 16)}|${API_KEY.slice(-16)}`.replaceAll('+', '\\+'),
);
const SIGNED = { key: SERVER_KEY, cert: SERVER_CERTIFICATE };
const SELF_SIGNED = { key: SELF_SIGNED_KEY, cert: SELF_SIGNED_CERTIFICATE };

describe.skipIf(!hasElasticsearch())('ElasticsearchEngine on a server with TLS and a login', () => {
  let proxy: TlsProxy;

  async function listen(certificate: typeof SIGNED, authorization = BASIC, host = '127.0.0.1'): Promise<void> {
    proxy = new TlsProxy(new URL(NODE), { ...certificate, authorization, host });
    await proxy.open();
  }
  beforeEach(() => listen(SIGNED));
  afterEach(() => proxy.close());

  function reached(values: Partial<ElasticsearchConfig>): ElasticsearchConfig {
    const login = { username: 'millrace', password: SECRET, tlsCa: AUTHORITY_CERTIFICATE };
    return testConfig({ node: proxy.url(), ...login, ...values });
  }

  async function expectToWork(config: ElasticsearchConfig): Promise<void> {
    const engine = await startEngine(config);
    try {
      await useEverything(engine);
    } finally {
      await engine.stop();
      await clean(config);
    }
    expect(new Set(proxy.logins).size).toBe(1);
  }

  /** What the start says, on one line of text. By default it may try for longer than a test: it has to refuse at once. */
  async function refusal(values: Partial<ElasticsearchConfig>): Promise<string> {
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
    const config = reached({ startTimeoutMs: 300_000, ...values });
    const engine = await createElasticsearchEngine({ config, logger });
    const error: unknown = await engine.start().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ id: 'storage.unavailable', status: 503 });
    expect(everythingIn([error, lines])).not.toMatch(SECRETS);
    return (error as Error).message;
  }

  it('works with the authority of the certificate and a user name and password', async () => {
    await expectToWork(reached({}));
  });

  it('takes the login from the address, with what is encoded there', async () => {
    const login = `millrace:${encodeURIComponent(SECRET)}`;
    await expectToWork(reached({ node: proxy.url(login), username: '', password: '' }));
  });

  it('prefers an API key to user name and password', async () => {
    await proxy.close();
    await listen(SIGNED, `ApiKey ${API_KEY}`);
    await expectToWork(reached({ apiKey: API_KEY }));
  });

  it('says at once that the login is refused, without showing it', async () => {
    const message = await refusal({ password: `not ${SECRET}` });
    expect(message).toContain('Elasticsearch refuses the login');
    expect(await refusal({ apiKey: `${API_KEY}x` })).toContain('refuses the login');
    const node = proxy.url(`millrace:not-${encodeURIComponent(SECRET)}`);
    expect(await refusal({ node, username: '' })).toContain('refuses the login');
    expect(proxy.logins).toHaveLength(3);
  });

  it('answers 503 while the login is withdrawn, and works again with it', async () => {
    const config = reached({});
    const engine = await startEngine(config);
    proxy.authorization = 'Basic another';
    await expect(engine.listIndexes()).rejects.toMatchObject({
      id: 'storage.unavailable',
      message: expect.stringContaining('refuses the login') as unknown,
    });
    proxy.authorization = BASIC;
    expect(await engine.listIndexes()).toEqual([]);
    await engine.stop();
    await clean(config);
  });

  it('does not talk to a server whose certificate is of another authority', async () => {
    expect(await refusal({ tlsCa: '' })).toMatch(
      /certificate of Elasticsearch is not trusted.*storage\.elasticsearch\.tlsCa/,
    );
    expect(await refusal({ tlsCa: SELF_SIGNED_CERTIFICATE })).toContain('is not trusted');
    expect(proxy.logins).toEqual([]);
  });

  it('does not talk to a server under another address than its certificate has', async () => {
    await proxy.close();
    await listen(SIGNED, BASIC, '127.0.0.2');
    expect(await refusal({})).toMatch(/is not trusted.*altnames/i);
    expect(proxy.logins).toEqual([]);
  });

  it('takes a self-signed certificate that is named as its own authority, or any if configured', async () => {
    await proxy.close();
    await listen(SELF_SIGNED);
    expect(await refusal({})).toContain('self-signed certificate');
    await expectToWork(reached({ tlsCa: SELF_SIGNED_CERTIFICATE }));
    await expectToWork(reached({ tlsCa: '', tlsRejectUnauthorized: false }));
  });

  it('says so where the address has the wrong scheme', async () => {
    const tries = { startTimeoutMs: 500, retryMs: 100 };
    const plain = await refusal({ node: proxy.url().replace('https', 'http'), ...tries });
    expect(plain).toContain("can't be reached");
    const tls = await refusal({ node: NODE.replace('http:', 'https:'), ...tries });
    expect(tls).toContain("can't be reached");
  });
});

describe('storage.elasticsearch.tlsCa', () => {
  const { format } = elasticsearchConfig['tlsCa'] as { readonly format: (value: unknown) => void };

  it('is PEM text or nothing', () => {
    expect(() => format('')).not.toThrow();
    expect(() => format(AUTHORITY_CERTIFICATE)).not.toThrow();
    expect(() => format('/etc/ca.crt')).toThrow('must be PEM text');
  });
});

async function useEverything(engine: StorageEngine): Promise<void> {
  await engine.ping();
  await engine.createCollection(THINGS, parseMapping({ properties: { n: { type: 'integer' } } }));
  const operations = Array.from({ length: 20 }, (_, n) => ({
    ...THINGS,
    kind: 'put' as const,
    id: `d${n}`,
    source: { n },
    condition: 'absent' as const,
  }));
  const outcomes = await engine.write(operations, true);
  expect(outcomes.every(({ status }) => status === 'created')).toBe(true);
  expect(await engine.read(THINGS, 'd3')).toMatchObject({ version: 1, source: { n: 3 } });
  const found = await engine.search(THINGS, parseSearch({ query: { range: { n: { gte: 15 } } } }));
  expect(found.total).toBe(5);
}

/** Through the plain address: what the proxy lets through is not this one's matter. */
async function clean(config: ElasticsearchConfig): Promise<void> {
  const plain = testConfig({ prefix: config.prefix, node: NODE });
  await discard(await startEngine(plain), plain);
}

/** Every text in a value, whatever it is hidden in. */
function everythingIn(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((key) => everythingIn((value as Record<PropertyKey, unknown>)[key], seen))
    .concat(value instanceof URL ? value.href : '')
    .join('\n');
}
