import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { TestKernel } from '@millrace/testing';
import { expect } from 'vitest';
import { login, PASSWORD } from './filledServer.js';

const OPERATOR = { _id: 'operator', profileIds: ['admin'] };
const BATCH = 1_000;
const DIGEST_BYTES = 16;

/** Of the collections of `fillMany`: the name, and the share of the documents. */
const COLLECTIONS: readonly (readonly [string, number])[] = [
  ['everything', 0.2],
  ['orders', 0.5],
  ['free-form', 0.3],
];

/** The types of fields that every Elasticsearch has: `scaled_float` and `geo_shape` are modules of it. */
const PROPERTIES: JsonObject = {
  name: { type: 'text', fields: { raw: { type: 'keyword' } } },
  tag: { type: 'keyword', ignore_above: 100 },
  b: { type: 'byte' },
  s: { type: 'short' },
  i: { type: 'integer' },
  l: { type: 'long' },
  f: { type: 'float' },
  d: { type: 'double' },
  h: { type: 'half_float' },
  is: { type: 'boolean' },
  at: { type: 'date' },
  ip: { type: 'ip' },
  place: { type: 'geo_point' },
  bytes: { type: 'binary' },
  deep: { properties: { er: { properties: { city: { type: 'keyword' } } } } },
  lines: { type: 'nested', properties: { sku: { type: 'keyword' }, count: { type: 'integer' } } },
};

/** What a client of the filled server has. */
export interface ManyDocuments {
  readonly apiKey: string;
  /** By collection. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Fills a server with documents of all types, a specification, users, profiles, roles and an API key of `anna`. */
export async function fillMany(server: TestKernel, count: number): Promise<ManyDocuments> {
  const call = (controller: string, action: string, fields: JsonObject) => execute(server, controller, action, fields);
  await call('collection', 'create', {
    index: 'shop',
    collection: 'everything',
    body: { dynamic: 'strict', properties: PROPERTIES },
  });
  const specification = { strict: false, fields: { total: { type: 'integer', mandatory: true } } };
  const digests: Record<string, string> = {};
  for (const [collection, share] of COLLECTIONS) {
    const at = { index: 'shop', collection };
    if (collection !== 'everything') await call('collection', 'create', { ...at, body: {} });
    const digest = new SetDigest();
    const size = Math.round(count * share);
    for (let from = 0; from < size; from += BATCH) {
      const bulkData: JsonObject[] = [];
      for (let i = from; i < Math.min(size, from + BATCH); i++) {
        const source = sourceOf(collection, i);
        digest.add(`d${i}`, source);
        bulkData.push({ index: { _id: `d${i}` } }, source);
      }
      await call('bulk', 'import', { ...at, body: { bulkData } });
    }
    digests[collection] = digest.toString();
  }
  await call('collection', 'updateSpecifications', { body: { shop: { orders: specification } } });
  return { digests, apiKey: await createAccounts(server) };
}

/** The documents of the server, as `ManyDocuments.digests`. */
export async function readDigests(server: TestKernel): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [collection] of COLLECTIONS) digests[collection] = await readDigest(server, collection);
  return digests;
}

/** Of the documents of a collection of the index `shop`. */
export async function readDigest(server: TestKernel, collection: string): Promise<string> {
  await execute(server, 'index', 'refresh', { index: 'shop' });
  const digest = new SetDigest();
  const first = { index: 'shop', collection, size: BATCH, scroll: '5m', body: {} };
  let page = await execute(server, 'document', 'search', first);
  for (;;) {
    const hits = page['hits'] as unknown as readonly { _id: string; _source: JsonObject }[];
    if (hits.length === 0) return digest.toString();
    for (const { _id, _source } of hits) digest.add(_id, _source);
    page = await execute(server, 'document', 'scroll', { scrollId: page['_scroll_id'] ?? '' });
  }
}

/** Mappings, specifications and accounts. */
export async function readDefinitions(server: TestKernel): Promise<JsonObject> {
  const at = (collection: string) => ({ index: 'shop', collection });
  const mappings: Record<string, JsonValue> = {};
  for (const [collection] of COLLECTIONS)
    mappings[collection] = await execute(server, 'collection', 'getMapping', at(collection));
  const accounts: Record<string, JsonValue> = {};
  for (const action of ['searchUsers', 'searchProfiles', 'searchRoles']) {
    const { hits } = await execute(server, 'security', action, { size: 1_000 });
    const all = hits as unknown as { _id: string; _source: JsonObject }[];
    accounts[action] = Object.fromEntries(all.map(({ _id, _source }) => [_id, _source]));
  }
  const specification = await execute(server, 'collection', 'getSpecifications', at('orders'));
  return { mappings, accounts, specification };
}

async function createAccounts(server: TestKernel): Promise<string> {
  const call = (action: string, fields: JsonObject) => execute(server, 'security', action, fields);
  await call('createFirstAdmin', { _id: 'chief', body: { password: PASSWORD } });
  const controllers = { document: { actions: { search: true } } };
  await call('createRole', { _id: 'clerk', body: { controllers } });
  const policies = [{ roleId: 'clerk', restrictedTo: [{ index: 'shop' }] }];
  await call('createProfile', { _id: 'clerks', body: { policies } });
  for (const _id of ['anna', ...Array.from({ length: 20 }, (_, i) => `user-${i}`)]) {
    const body = { profileIds: ['clerks'], password: PASSWORD, team: `team of ${_id}` };
    await call('createUser', { _id, body });
  }
  const { key } = await call('createApiKey', { _id: 'anna', body: { name: 'till' } });
  return key as string;
}

/** Whether the password and the API key of `anna` are accepted. */
export async function annaEnters(server: TestKernel, apiKey: string): Promise<readonly boolean[]> {
  const { status } = await login(server, 'anna', PASSWORD);
  const found = await fetch(`${server.url}/shop/orders/_search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{}',
  });
  return [status === 200, found.status === 200];
}

/** The result of an action, run as an administrator. */
export async function execute(
  server: TestKernel,
  controller: string,
  action: string,
  fields: JsonObject,
): Promise<JsonObject> {
  const message = { controller, action, ...fields };
  const { error, result } = await server.kernel.execute(message, { user: OPERATOR });
  expect(error).toBeNull();
  return result as JsonObject;
}

function sourceOf(collection: string, i: number): JsonObject {
  if (collection === 'orders')
    return {
      total: i,
      customer: `customer ${i % 1_000} ü`,
      note: 'x'.repeat(i % 300),
      at: i * 1_000,
    };
  if (collection === 'free-form')
    return {
      [`field${i % 40}`]: i,
      list: [i, [], null],
      things: [{}, { n: i }],
      quoted: `"\\\n\u2028${i}`,
      none: null,
    };
  return {
    name: `Lamp ${i} 灯 🙂`,
    tag: ['red', `t${i % 50}`],
    b: (i % 256) - 128,
    s: i % 30_000,
    i,
    l: i * 1_000_003,
    f: i / 4,
    d: i / 3,
    h: i % 100,
    is: i % 2 === 0,
    at: new Date(i * 86_400_000).toISOString(),
    ip: `10.0.${i % 250}.${(i * 7) % 250}`,
    place: { lat: i % 90, lon: -(i % 180) },
    bytes: Buffer.from(`bytes of ${i}`).toString('base64'),
    deep: { er: { city: i % 3 === 0 ? null : 'Ulm' } },
    lines: [
      { sku: `s${i}`, count: 1 },
      { sku: 'other', count: i % 9 },
    ],
  };
}

/** The same for the same documents in any order. */
export class SetDigest {
  private readonly sum = Buffer.alloc(DIGEST_BYTES);
  private count = 0;

  add(id: string, source: JsonObject): void {
    const hash = createHash('sha256')
      .update(JSON.stringify([id, sorted(source)]))
      .digest();
    for (let at = 0; at < DIGEST_BYTES; at++) this.sum[at] = (this.sum[at] ?? 0) ^ (hash[at] ?? 0);
    this.count++;
  }

  toString(): string {
    return `${this.count} ${this.sum.toString('hex')}`;
  }
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each) => sorted(each as JsonValue));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
