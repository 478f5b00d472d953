import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { flatRole, fresh, startSecured, type Account, type SecuredServer } from './securedServer.js';
import { decodeToken } from './tokenForge.js';

/** Names that something secret might be kept under. */
const FIELDS = [
  'password', 'hash', 'credentials', 'credentials.hash', 'credentials.password', 'credentials.local.hash', 'local',
  'local.hash', 'local.password', 'gen', '_gen', 'generation', 'secret', 'content', 'json', '_source', 'stored', 'kept',
  '_credentials', 'token', 'tokens', 'jti', 'salt',
]; // prettier-ignore

/** Filters that find a user by a field, if the field can be searched (SEC-43). */
const FILTERS: readonly [string, (field: string, value: string) => JsonObject][] = [
  ['exists', (field) => ({ exists: { field } })],
  ['prefix', (field) => ({ prefix: { [field]: '$' } })],
  ['wildcard', (field, value) => ({ wildcard: { [field]: `*${value}*` } })],
  ['regexp', (field) => ({ regexp: { [field]: '.*(argon2id|scrypt).*' } })],
  ['match', (field, value) => ({ match: { [field]: value } })],
  ['match_phrase_prefix', (field) => ({ match_phrase_prefix: { [field]: 'argon' } })],
  ['term', (field, value) => ({ term: { [field]: value } })],
  ['range', (field) => ({ range: { [field]: { gte: '$a', lt: '$z' } } })],
  ['query_string', (field) => ({ query_string: { query: `${field}:*` } })],
];

/** Filters over every field there is. */
const EVERYWHERE: readonly [string, (value: string) => JsonObject][] = [
  ['query_string with a wildcard field', (value) => ({ query_string: { query: `\\*:"${value}"` } })],
  ['query_string over all', (value) => ({ query_string: { query: `"${value}"` } })],
  ['query_string over listed wildcards', (value) => ({ query_string: { query: `"${value}"`, fields: ['*', '_*', '*.*'] } })],
  ['simple_query_string', (value) => ({ simple_query_string: { query: `"${value}"`, fields: ['*'] } })],
  ['multi_match', (value) => ({ multi_match: { query: value, fields: ['*', '*.*'] } })],
  ['multi_match by prefix', (value) => ({ multi_match: { query: value.slice(0, 8), type: 'phrase_prefix', fields: ['*'] } })],
  ['not exists anywhere', (value) => ({ bool: { must: [{ term: { '*': value } }] } })],
]; // prettier-ignore

/** Everything except the filter that a search can give back. */
const EXTRAS: readonly [string, JsonObject][] = [
  ['sort', { sort: [{ hash: 'asc' }, { gen: 'asc' }, { 'credentials.hash': 'desc' }] }],
  ['aggregations', { aggregations: { a: { terms: { field: 'hash' } }, b: { terms: { field: 'gen' } } } }],
  ['top_hits', { aggs: { a: { top_hits: { size: 10, _source: ['*'] } } } }],
  ['highlight', { highlight: { fields: { '*': {} }, require_field_match: false } }],
  ['_source', { _source: ['*', '_*', 'gen', 'hash', 'credentials.*'] }],
  ['_source true', { _source: true }],
  ['fields', { fields: ['*', '_*'] }],
  ['stored_fields', { stored_fields: ['*', '_source'] }],
  ['docvalue_fields', { docvalue_fields: ['hash', 'gen', '*'] }],
  ['script_fields', { script_fields: { x: { script: "doc['hash'].value" } } }],
  ['runtime_mappings', { runtime_mappings: { x: { type: 'keyword', script: "emit(params._source.toString())" } } }],
  ['suggest', { suggest: { s: { text: 'argon', term: { field: 'hash' } } } }],
  ['explain', { explain: true, profile: true, version: true }],
  ['collapse', { collapse: { field: 'gen' } }],
  ['rescore', { rescore: { query: { rescore_query: { exists: { field: 'hash' } } } } }],
]; // prettier-ignore

describe('what is kept of a password (SEC-43)', () => {
  let server: SecuredServer;
  let user: Account;
  let gen: string;
  beforeAll(async () => {
    server = await startSecured();
    user = await server.account(flatRole({ auth: ['*'], server: ['now'] }), {
      name: 'Ada',
      nested: { deep: [1] },
    });
    gen = decodeToken(user.jwt).payload.gen as string;
    expect(gen.length).toBeGreaterThan(8);
  });
  afterAll(() => server.close());

  /** Not the password, nor any hash, nor what tokens are tied to. */
  const showsNothing = (text: string) => {
    expect(text).not.toContain(user.password);
    expect(text).not.toMatch(/argon2id|\$scrypt|"(hash|password|gen|_gen|credentials)":/);
    expect(text).not.toContain(gen);
  };
  const search = async (body: JsonObject) => {
    const reply = await server.http('POST', '/users/_search?size=100', { body });
    expect([200, 400]).toContain(reply.status);
    return reply;
  };

  it('is in no answer about users', async () => {
    const { id, password, jwt, profileId } = user;
    const replies = [
      await server.http('GET', `/users/${id}`),
      await server.http('GET', `/_users/${id}/_rights`),
      await server.http('GET', '/users/_me', { jwt }),
      await server.http('GET', '/users/_me/_rights', { jwt }),
      await server.http('PUT', '/_updateSelf', { jwt, body: { name: 'Ada' } }),
      await server.http('POST', `/users/${id}`, { body: { name: 'Ada' } }),
      await server.http('PUT', `/users/${id}`, { body: { profileId, name: 'Ada', password } }),
      await server.http('POST', '/users/_search?size=100', { body: {} }),
      await server.http('GET', '/users/_mapping'),
      await server.http('GET', '/_getConfig'),
      await server.http('POST', `/users/${id}/_create`, {
        body: { profileIds: [profileId], password },
      }),
      await server.http('POST', `/users/${id}/_createRestricted`, {
        jwt: null,
        body: { password },
      }),
      await server.http('GET', '/credentials/local/_me/_exists', {
        jwt: await server.token(id, password),
      }),
    ];
    for (const { text } of replies) {
      expect(text).not.toContain(password);
      expect(text).not.toMatch(/argon2id\$|\$scrypt|"(hash|gen|_gen)":"/);
    }
    const now = await server.token(id, password);
    user = { ...user, jwt: now };
    const renewed = decodeToken(now).payload.gen as string;
    for (const { text } of replies) expect([text.includes(gen), text.includes(renewed)]).toEqual([false, false]);
    gen = renewed;
  });

  it.each(FIELDS)('is found by no filter on %s', async (field) => {
    for (const [kind, filter] of FILTERS) {
      for (const value of [user.password, gen]) {
        const { status, result, text } = await search({ filter: filter(field, value) });
        if (status === 200) expect([kind, result.total]).toEqual([kind, 0]);
        expect(text.replaceAll(JSON.stringify(value), '')).not.toMatch(/\$argon2id|\$scrypt/);
      }
    }
  });

  it.each(EVERYWHERE)('is found by no filter over all fields: %s', async (_, filter) => {
    for (const value of [user.password, gen, 'argon2id', 'scrypt']) {
      const { status, result } = await search({ filter: filter(value) });
      if (status === 200) expect([value, result.total]).toEqual([value, 0]);
    }
  });

  it('is found no better than the name is, which such filters do find', async () => {
    const { result } = await search({ filter: { query_string: { query: '"Ada"' } } });
    expect(result.total).toBe(1);
  });

  it.each(EXTRAS)('comes along with no search by %s', async (_, extra) => {
    const plain = await search({ filter: {}, ...extra });
    showsNothing(plain.text.replace(/"error":\{.*/, ''));
    const own = await search({ query: { match_all: {} }, ...extra });
    expect(own.text).not.toMatch(/\$argon2id|\$scrypt/);
    expect(own.text).not.toContain(gen);
  });

  it('does not order users', async () => {
    for (const field of ['hash', 'gen', '_gen', 'credentials.hash', 'password']) {
      const orders = [];
      for (const direction of ['asc', 'desc']) {
        const { status, result } = await search({ sort: [{ [field]: direction }] });
        if (status === 200) orders.push((result.hits as readonly JsonObject[]).map(({ _id }) => _id));
      }
      // An unknown field orders by nothing: both ways alike.
      if (orders.length === 2) expect(orders[0]).toEqual(orders[1]);
    }
  });

  it('is repeated by no error', async () => {
    const secret = fresh('my-very-secret-password');
    const attempts = [
      server.http('POST', `/users/${fresh('u')}/_create`, { body: { profileIds: ['no-such'], password: secret } }),
      server.http('POST', `/users/${fresh('u')}/_create`, { body: { profileIds: ['default'], password: [secret] } }),
      server.http('POST', `/users/${fresh('u')}/_create`, { body: { profileIds: ['default'], password: { [secret]: 1 } } }),
      server.http('POST', `/users/${fresh('u')}/_create`, { body: { profileIds: ['default'], password: `${secret}\ud800` } }),
      server.http('POST', `/users/${user.id}`, { body: { password: secret.repeat(100) } }),
      server.login(user.id, secret),
      server.login(secret, secret),
      server.http('POST', '/_login', { jwt: null, body: { username: user.id, password: [secret] } }),
      server.http('POST', '/_login', { jwt: null, body: { username: user.id, password: secret, strategy: 'nope' } }),
      server.http('POST', '/_login', { jwt: null, body: { username: user.id, password: secret, expiresIn: 'never' } }),
      server.http('GET', `/_login/local?username=${user.id}&password=${secret}`, { jwt: null }),
      server.http('GET', `/_login/${secret}`, { jwt: null, headers: { 'x-request-id': 'a' } }),
      server.http('PUT', '/credentials/local/_me/_update', { jwt: user.jwt, body: { password: { a: secret } } }),
      server.http('POST', '/credentials/local/_me/_create', { jwt: user.jwt, body: { password: secret } }),
    ]; // prettier-ignore
    const replies = await Promise.all(attempts);
    for (const [i, { status, text }] of replies.entries()) {
      expect([i, status >= 400 && status < 500]).toEqual([i, true]);
      // The name of a strategy is no secret: whoever puts a password there gets it back.
      if (i !== 11) expect([i, text.includes(secret)]).toEqual([i, false]);
    }
  });

  it('lies in the store as argon2id text, and the password nowhere', async () => {
    const { readdir, readFile } = await import('node:fs/promises');
    const { join } = await import('node:path');
    const { dataDir } = server.started.kernel.config.section<{ dataDir: string }>('server');
    const names = (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const bytes = Buffer.concat(await Promise.all(names.map((entry) => readFile(join(entry.parentPath, entry.name)))));
    expect(bytes.includes('$argon2id$v=19$m=19456,t=2,p=1$')).toBe(true);
    expect(bytes.includes(user.password)).toBe(false);
    expect(bytes.includes(Buffer.from(user.password, 'utf16le'))).toBe(false);
  });
});
