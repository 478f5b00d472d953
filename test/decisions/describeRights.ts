import { silentLogger, type JsonObject, type Logger } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flatRole, fresh } from '../security/securedServer.js';
import { callOn } from './callOn.js';
import { PROTOCOLS, type TestedEngine } from './TestServer.js';
import { openSecured, type SecuredTestServer } from './SecuredTestServer.js';

export function describeRights(engine: TestedEngine): void {
  describe('roles that name what the server does not know (SEC-14)', () => {
    let server: SecuredTestServer;
    const logged: JsonObject[] = [];
    beforeAll(async () => {
      const warn = (fields: JsonObject) => void logged.push(fields);
      const log = { ...silentLogger, warn, child: () => log } as unknown as Logger;
      server = await openSecured(engine, log);
    });
    afterAll(() => server.close());

    const TREE = (controllers: JsonObject) => ({ indexes: { '*': { collections: { '*': { controllers } } } } });
    const WRONG = {
      documnt: { actions: { get: true } },
      document: { actions: { gte: true, get: true } },
      '*': { actions: { serach: true, '*': true } },
      plugin: { actions: { run: true } },
    };
    const WARNINGS = [
      'unknown controller documnt; did you mean document?',
      'unknown action document.gte; did you mean get?',
      'unknown action *.serach; did you mean search?',
      'unknown controller plugin',
    ];

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const { result } = callOn(
        (fields) => server.call(protocol, fields),
        () => ({ jwt: server.adminJwt }),
      );

      it.each([
        ['a flat role', { controllers: WRONG }],
        ['a tree', TREE(WRONG)],
      ])('%s is stored, and the answer and the log name them', async (_, body) => {
        const _id = fresh('role');
        for (const action of ['createRole', 'createOrReplaceRole', 'updateRole']) {
          logged.length = 0;
          const written = await result(`security.${action}`, { _id, body });
          expect(written).toMatchObject({ _source: body, warnings: WARNINGS });
          expect(logged).toContainEqual({ roleId: _id, warnings: WARNINGS });
        }
        expect(await result('security.getRole', { _id })).toEqual({ _id, _source: body });
      });

      it('a role without such names has no warnings; an alias without effect is warned of with its controllers', async () => {
        const body = flatRole({
          document: ['get', '*'],
          '*': ['now'],
          memoryStorage: ['ping'],
          ms: ['get'],
        });
        expect(await result('security.createRole', { _id: fresh('role'), body })).not.toHaveProperty('warnings');
        const alias = { _id: fresh('role'), body: flatRole({ admin: ['list'], ms: ['gte'] }) };
        expect(await result('security.createRole', alias)).toMatchObject({
          warnings: [
            'controller admin gives no rights: it is another name of collection, index, server',
            'unknown action ms.gte; did you mean get?',
          ],
        });
      });
    });
  });

  describe('rights of updateByQuery and upsert', () => {
    let server: SecuredTestServer;
    beforeAll(async () => {
      server = await openSecured(engine);
    });
    afterAll(() => server.close());

    const conditional = (action: string): JsonObject => ({
      controllers: {
        document: {
          actions: {
            [action]: { when: { equals: { 'document.owner': { $ref: 'user._id' } } } },
            create: true,
          },
        },
      },
    });

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const { outcome } = callOn((fields) => server.call(protocol, fields));
      const filled = async (content: JsonObject, _id = '1') => {
        const at = { index: fresh('rights'), collection: 'books' };
        await server.result('PUT', `/${at.index}/books/${_id}`, { body: content });
        return at;
      };
      const QUERY = { query: { match_all: {} }, doc: { n: 2 } };

      it('each needs its own right', async () => {
        const at = await filled({ n: 1 });
        const calls: readonly [string, JsonObject][] = [
          ['document.upsert', { ...at, _id: '1', body: { doc: { n: 2 } } }],
          ['document.updateByQuery', { ...at, body: QUERY }],
        ];
        const { jwt } = await server.account(flatRole({ document: ['update', 'create', 'search'] }));
        const other = await server.account(flatRole({ document: ['updateByQuery', 'upsert'] }));
        for (const [name, fields] of calls) {
          expect(await outcome(name, { ...fields, jwt })).toMatch(/^403 /);
          expect(await outcome(name, fields)).toMatch(/^401 /);
          expect(await outcome(name, { ...fields, jwt: other.jwt })).toBe('200');
          expect(await outcome(name, { ...fields, index: '%millrace', jwt: server.adminJwt })).toMatch(/^403 /);
        }
      });

      it('a condition on the document sees the stored one, and for a creation the one that would be created', async () => {
        const { jwt, id } = await server.account(conditional('upsert'));
        const at = await filled({ owner: 'another' }, 'foreign');
        const upsert = (_id: string, body: JsonObject) => outcome('document.upsert', { ...at, _id, body, jwt });
        expect(await upsert('foreign', { doc: { owner: id } })).toMatch(/^403 /);
        expect(await upsert('new', { doc: { owner: 'another' } })).toMatch(/^403 /);
        expect(await upsert('new', { doc: { n: 1 }, owner: id })).toMatch(/^403 /);
        expect(await upsert('new', { doc: { n: 1 }, default: { owner: id } })).toBe('200');
        expect(await upsert('new', { doc: { n: 2 } })).toBe('200');
        expect(await upsert('own', { doc: { owner: id } })).toBe('200');
      });

      it('a condition on the document is false for updateByQuery', async () => {
        const at = await filled({ owner: 'any' });
        const { jwt } = await server.account(conditional('updateByQuery'));
        expect(await outcome('document.updateByQuery', { ...at, body: QUERY, jwt })).toMatch(/^403 /);
      });

      it('silent needs the right to import', async () => {
        const at = await filled({});
        const { jwt } = await server.account(flatRole({ document: ['upsert'] }));
        const fields = { ...at, _id: '1', body: { doc: {} }, silent: true };
        expect(await outcome('document.upsert', { ...fields, jwt })).toMatch(/^403 /);
        expect(await outcome('document.upsert', { ...fields, jwt: server.adminJwt })).toBe('200');
      });
    });
  });
}
