import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { flatRole, fresh, startSecured, type Account, type SecuredServer } from './securedServer.js';

const INTERNAL = '%millrace';
const COLLECTIONS = [
  'users',
  'profiles',
  'roles',
  'credentials',
  'revocations',
  'keys',
  'tokens',
  'specifications',
  '*',
];

/** A body that each action would take. */
const BODIES: Readonly<Record<string, JsonObject>> = {
  'bulk.import': { bulkData: [{ create: { _id: 'x' } }, { a: 1 }] },
  'collection.updateMapping': { properties: { a: { type: 'keyword' } } },
  'document.search': {}, 'document.count': {}, 'document.deleteByQuery': { query: { match_all: {} } },
  'document.mGet': { ids: ['x'] }, 'document.mDelete': { ids: ['x'] },
  'index.setAutoRefresh': { autoRefresh: true },
}; // prettier-ignore
const documents = { documents: [{ _id: 'x', body: { a: 1 } }] };

/** Spellings that some layer might read as the internal index. */
const SPELLINGS = [
  '%millrace ', ' %millrace', '%millrace\u0000', '%millrace\n', '%MILLRACE', '%Millrace', '%25millrace', '%2525millrace',
  'millrace', '_millrace', '.millrace', '%millrace/', '%millrace/users', './%millrace', '../%millrace', '%millrace,x',
  'x,%millrace', '%*', '*', '_all', '%millrace*', '%mill?ace', '\uff05millrace', '%m\u0131llrace', '%millrace\u200b',
  '\u202e%millrace', '"%millrace"', "%millrace' OR '1'='1", '%millrace--', '%millrace;', '%millrace%00', '<%millrace>',
]; // prettier-ignore

const ODD_VALUES: readonly JsonValue[] = [
  [INTERNAL], { 0: INTERNAL }, [[INTERNAL]], { toString: INTERNAL }, 5, true, { index: INTERNAL },
]; // prettier-ignore

const RAW_PATHS = [
  '/%25millrace/users/ADMIN', '/%2525millrace/users/ADMIN', '/%25%6dillrace/users/ADMIN', '/%25MILLRACE/users/ADMIN',
  '/%25millrace%00/users/ADMIN', '/%25millrace%20/users/ADMIN', '/api/1.0/%25millrace/users/ADMIN', '/%millrace/users/ADMIN',
  '/%u0025millrace/users/ADMIN', '/x/../%25millrace/users/ADMIN', '/x/%2e%2e/%25millrace/users/ADMIN',
  '/./%25millrace/users/ADMIN', '//%25millrace/users/ADMIN', '/%25millrace//users/ADMIN', '/%25millrace%2Fusers/ADMIN',
  '/%25millrace%2Fusers%2FADMIN', '/%25millrace;x=1/users/ADMIN', '/%EF%BC%85millrace/users/ADMIN', '/%25millrace/users%2FADMIN',
  '/x/y/..%2F..%2F%25millrace%2Fusers%2FADMIN', '/x/y/z?index=%25millrace&collection=users&_id=ADMIN', '/%c0%a5millrace/users/ADMIN',
]; // prettier-ignore

describe('the internal index (DOC-4, SEC-13)', () => {
  let server: SecuredServer;
  let powerful: Account;
  let before: JsonObject;
  beforeAll(async () => {
    server = await startSecured();
    powerful = await server.account({
      indexes: {
        '*': { collections: { '*': { controllers: { '*': { actions: { '*': true } } } } } },
        [INTERNAL]: { collections: { '*': { controllers: { '*': { actions: { '*': true } } } } } },
      },
    });
    before = await server.result('POST', '/users/_search', { body: {} });
  });
  afterAll(() => server.close());

  const isUntouched = async () => {
    expect(await server.result('POST', '/users/_search', { body: {} })).toEqual(before);
    expect((await server.http('GET', '/roles/admin')).status).toBe(200);
    expect((await server.http('GET', '/_now')).status).toBe(200);
  };
  const showsNothing = (text: string) => {
    expect(text).not.toMatch(/profileIds|argon2id|"suid"/);
  };

  it('is refused to every action on an index, whoever asks', async () => {
    const named = [...server.started.kernel.actions].filter(
      ({ args, controller }) => 'index' in args || ['document', 'realtime', 'bulk'].includes(controller),
    );
    expect(named.length).toBeGreaterThan(35);
    for (const { controller, action } of named) {
      const name = `${controller}.${action}`;
      const isBatch = /^m(Create|CreateOrReplace|Replace|Update)$/.test(action);
      const body = BODIES[name] ?? (isBatch ? documents : { a: 1 });
      for (const jwt of [server.adminJwt, powerful.jwt, null]) {
        const reply = await server.message({
          controller,
          action,
          index: INTERNAL,
          collection: 'users',
          _id: 'x',
          body,
          jwt,
        });
        expect([name, reply.status, reply.error.id]).toEqual([name, 403, 'storage.internal_index']);
      }
    }
    await isUntouched();
  });

  it.each(COLLECTIONS)('gives nothing of its collection %s', async (collection) => {
    for (const [action, body] of [
      ['search', {}],
      ['get', null],
      ['count', {}],
      ['mGet', { ids: [server.adminId] }],
      ['deleteByQuery', { query: { match_all: {} } }],
      ['delete', null],
    ] as const) {
      const reply = await server.message({
        controller: 'document',
        action,
        index: INTERNAL,
        collection,
        _id: server.adminId,
        body,
        jwt: powerful.jwt,
      });
      expect([action, reply.status]).toEqual([action, 403]);
      showsNothing(reply.text);
    }
    await isUntouched();
  });

  it.each(SPELLINGS)('is not reached as %j', async (index) => {
    for (const collection of ['users', 'credentials']) {
      for (const action of ['search', 'get', 'create', 'delete']) {
        const body = action === 'search' ? {} : { profileIds: ['admin'] };
        const message = {
          controller: 'document',
          action,
          index,
          collection,
          _id: server.adminId,
          body,
        };
        const reply = await server.message({ ...message, jwt: server.adminJwt });
        // `millrace` alone is a good name: a document may be made there, and it is another index.
        if (action !== 'create')
          expect([action, reply.status >= 400 || reply.result.total === 0 || index === 'millrace']).toEqual([
            action,
            true,
          ]);
        if (action === 'search' || action === 'get') showsNothing(reply.text.replace('{"profileIds":["admin"]}', ''));
      }
    }
    await isUntouched();
  });

  it.each(ODD_VALUES.map((value) => [JSON.stringify(value), value] as const))(
    'is not reached as %s',
    async (_, index) => {
      for (const action of ['search', 'get']) {
        const reply = await server.message({
          controller: 'document',
          action,
          index,
          collection: 'users',
          _id: server.adminId,
          body: {},
          jwt: server.adminJwt,
        });
        expect(reply.status).toBe(400);
        showsNothing(reply.text);
      }
    },
  );

  it.each(RAW_PATHS)('is not reached over HTTP by %s', async (path) => {
    const target = path.replace('ADMIN', server.adminId);
    for (const jwt of [server.adminJwt, powerful.jwt]) {
      const got = await server.http('GET', target, { jwt });
      // An id may look like a path: then it is an id, in the index of the path.
      const isOwnDocument = got.status === 200 && got.result._index === 'x';
      expect(isOwnDocument || (got.status >= 400 && got.status < 500)).toBe(true);
      showsNothing(got.text);
      await server.http('DELETE', target, { jwt });
      const put = await server.http('PUT', target, {
        jwt,
        body: { level: 'admin' },
      });
      expect(put.status).toBeLessThan(500);
    }
    await isUntouched();
  });

  it.each<[string, readonly JsonValue[]]>([
    ['_index', [{ create: { _index: INTERNAL, _type: 'users', _id: 'intruder' } }, { profileIds: ['admin'] }]],
    [
      '_index behind a good line',
      [
        { index: { _index: 'other', _type: 'c', _id: 'ok' } },
        { a: 1 },
        { index: { _index: INTERNAL, _type: 'users', _id: 'intruder' } },
        { profileIds: ['admin'] },
      ],
    ],
    ['a delete', [{ delete: { _index: INTERNAL, _type: 'users', _id: 'ADMIN' } }]],
    ['an update', [{ update: { _index: INTERNAL, _type: 'users', _id: 'ADMIN' } }, { doc: { profileIds: [] } }]],
    [
      '_index twice',
      [
        JSON.parse(
          '{"create": {"_index": "other", "_type": "c", "_index": "%millrace", "_id": "intruder"}}',
        ) as JsonValue,
        { a: 1 },
      ],
    ],
    [
      'index without underscore',
      [
        {
          create: { index: INTERNAL, type: 'users', _index: 'other', _type: 'c', _id: 'intruder' },
        },
        { a: 1 },
      ],
    ],
    ['a list', [{ create: { _index: [INTERNAL], _type: 'users', _id: 'intruder' } }, { a: 1 }]],
    ['another case', [{ create: { _index: '%MILLRACE', _type: 'users', _id: 'intruder' } }, { a: 1 }]],
    [
      'a routing',
      [
        {
          create: {
            _index: 'other',
            _type: 'c',
            _id: 'intruder',
            routing: INTERNAL,
            _routing: INTERNAL,
          },
        },
        { a: 1 },
      ],
    ],
    ['an alias', [{ create: { _index: 'other', _type: '../%millrace/users', _id: 'intruder' } }, { a: 1 }]],
  ])('takes no line of a bulk: %s', async (_, bulkData) => {
    const lines = JSON.parse(JSON.stringify(bulkData).replaceAll('ADMIN', server.adminId)) as JsonValue;
    for (const path of ['/_bulk', '/other/c/_bulk']) {
      for (const jwt of [server.adminJwt, powerful.jwt]) {
        const reply = await server.http('POST', path, { jwt, body: { bulkData: lines } });
        expect([206, 400, 403]).toContain(reply.status);
        showsNothing(reply.text.replaceAll('profileIds', ''));
      }
    }
    await isUntouched();
    expect((await server.http('GET', '/users/intruder')).status).toBe(404);
  });

  it('writes nothing of a bulk that names it in any line', async () => {
    const index = fresh('bulk');
    const bulkData = [
      { create: { _index: index, _type: 'c', _id: 'ok' } }, { a: 1 },
      { create: { _index: INTERNAL, _type: 'users', _id: 'intruder' } }, { profileIds: ['admin'] },
    ]; // prettier-ignore
    expect((await server.http('POST', '/_bulk', { body: { bulkData } })).status).toBe(403);
    expect((await server.http('GET', `/${index}/c/ok`)).status).toBe(404);
  });

  it('has no specifications, and is in no list', async () => {
    const body = { [INTERNAL]: { users: { strict: true, fields: {} } } };
    expect((await server.http('PUT', '/_specifications', { body })).status).toBe(403);
    expect((await server.http('POST', '/_validateSpecifications', { body })).status).toBeGreaterThanOrEqual(200);
    expect((await server.http('POST', '/validations/_search', { body: {} })).text).not.toContain(INTERNAL);
    expect((await server.http('GET', '/_list')).text).not.toContain(INTERNAL);
    await isUntouched();
  });

  it.each<[string, JsonObject]>([
    ['its name', { indexes: [INTERNAL] }],
    ['its name among others', { indexes: ['nothing-here', INTERNAL] }],
    ['nothing, which is everything', {}],
    ['an empty list', { indexes: [] }],
  ])('survives mDelete of %s', async (_, body) => {
    const reply = await server.http('DELETE', '/_mDelete', { body });
    expect([200, 403]).toContain(reply.status);
    expect(reply.text).not.toContain(INTERNAL);
    await isUntouched();
  });

  it('is opened by no role and no policy', async () => {
    const made = await server.account(flatRole({ '*': ['*'] }));
    const policies = [{ roleId: made.roleId, restrictedTo: [{ index: INTERNAL, collections: ['users'] }] }];
    await server.http('POST', `/profiles/${made.profileId}`, { body: { policies } });
    for (const { jwt } of [made, powerful]) {
      const reply = await server.message({
        controller: 'document',
        action: 'search',
        index: INTERNAL,
        collection: 'users',
        body: {},
        jwt,
      });
      expect(reply.status).toBe(403);
    }
  });
});
