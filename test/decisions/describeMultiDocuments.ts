import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { callOn, listIn } from './callOn.js';
import { PROTOCOLS, useServer, type TestedEngine } from './TestServer.js';

export function describeMultiDocuments(engine: TestedEngine): void {
  describe('several documents in one call', () => {
    const server = useServer(engine);

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const { outcome, response, result } = callOn((fields) => server().call(protocol, fields));
      const filled = async () => {
        const at = { index: server().newIndex(), collection: 'books' };
        for (const _id of ['a', 'b']) await result('document.create', { ...at, _id, body: { n: 1 } });
        return at;
      };

      it.each<[string, readonly string[], readonly [string, number][]]>([
        ['mCreate', ['c'], [['b', 409]]],
        ['mCreateOrReplace', ['b', 'c'], []],
        ['mReplace', ['b'], [['c', 404]]],
        ['mUpdate', ['b'], [['c', 404]]],
      ])('document.%s gives successes and errors in the order of the request', async (action, successes, errors) => {
        const at = await filled();
        const documents = ['b', 'c'].map((_id) => ({ _id, body: { m: 2 } }));
        const answer = await response(`document.${action}`, { ...at, body: { documents } });
        expect(answer.status).toBe(errors.length === 0 ? 200 : 206);
        const shown = listIn(answer.result, 'successes');
        expect(shown.map(({ _id }) => _id)).toEqual(successes);
        expect(shown[0]).toMatchObject({
          _version: expect.any(Number) as number,
          _source: { m: 2 },
          _meta: { author: null },
        });
        expect(
          listIn(answer.result, 'errors').map((each) => [
            (each['document'] as JsonObject | undefined)?.['_id'] ?? each['_id'],
            each['status'],
          ]),
        ).toEqual(errors);
        if (errors.length > 0) expect(answer.error?.details).toBeDefined();
      });

      it('mGet and mDelete', async () => {
        const at = await filled();
        const ids = ['b', 'none', 'a'];
        const got = await response('document.mGet', { ...at, body: { ids } });
        expect(got.status).toBe(206);
        expect(listIn(got.result, 'successes').map(({ _id }) => _id)).toEqual(['b', 'a']);
        expect(listIn(got.result, 'errors')).toMatchObject([{ _id: 'none', status: 404 }]);
        const deleted = await response('document.mDelete', { ...at, body: { ids } });
        expect(deleted).toMatchObject({ status: 206, result: { successes: ['b', 'a'], errors: [{ _id: 'none' }] } });
      });

      it.each(['mGet', 'mDelete', 'mCreate', 'mCreateOrReplace', 'mReplace', 'mUpdate'])(
        'document.%s: an empty list is 200 and two empty lists, no list a 400',
        async (action) => {
          const at = await filled();
          const list = /mGet|mDelete/.test(action) ? 'ids' : 'documents';
          expect(await result(`document.${action}`, { ...at, body: { [list]: [] } })).toEqual({
            successes: [],
            errors: [],
          });
          for (const body of [{}, { [list]: 'a' }, { [list]: [7] }]) {
            expect(await outcome(`document.${action}`, { ...at, body })).toMatch(/^400 /);
          }
        },
      );

      it('bulk.import applies its lines in order and reports each', async () => {
        const at = await filled();
        const bulkData = [
          { create: { _id: 'a' } }, { n: 2 },
          { index: { _id: 1 } }, { n: 3 },
          { update: { _id: '1' } }, { doc: { m: 4 } },
          { delete: { _id: 'none' } },
          { index: { _id: 'x' } }, { _bad: 1 },
          { create: {} }, { n: 5 },
        ]; // prettier-ignore
        const answer = await response('bulk.import', { ...at, body: { bulkData } });
        const { index: _index, collection: _type } = at;
        expect(answer).toMatchObject({
          status: 206,
          result: {
            hits: [
              { create: { _id: 'a', _index, _type, status: 409 } },
              { index: { _id: '1', _index, _type, _version: 1, status: 201 } },
              { update: { _id: '1', _version: 2, status: 200 } },
              { delete: { _id: 'none', status: 404 } },
              { index: { _id: 'x', status: 400 } },
              { create: { status: 201 } },
            ],
          },
        });
        expect(answer.error?.details).toHaveLength(3);
        expect(await result('document.get', { ...at, _id: '1' })).toMatchObject({ _source: { n: 3, m: 4 } });
      });

      it.each<[string, readonly unknown[]]>([
        ['no object', [7]],
        ['no action', [{}]],
        ['two actions', [{ index: {}, create: {} }, {}]],
        ['an unknown key', [{ index: { _id: 'z', _routing: 1 } }, {}]],
        ['no _id for update', [{ update: {} }, { doc: {} }]],
        ['no _id for delete', [{ delete: {} }]],
        ['a missing document', [{ index: {} }]],
        ['an update without doc', [{ update: { _id: 'z' } }, {}]],
        ['nothing', []],
        ['another index', [{ index: { _index: 'another' } }, {}]],
        ['another collection', [{ index: { _type: 'another' } }, {}]],
      ])('bulk.import refuses %s as a whole', async (_, wrong) => {
        const at = await filled();
        const good = wrong.length === 0 ? [] : [{ index: { _id: 'z' } }, { n: 1 }];
        const body = { bulkData: [...good, ...wrong] as JsonObject[] };
        expect(await outcome('bulk.import', { ...at, body })).toMatch(/^400 /);
        expect(await outcome('document.get', { ...at, _id: 'z' })).toMatch(/^404 /);
      });

      it('bulk.import refuses the internal index with 403, in any line', async () => {
        const { index } = await filled();
        const bulkData = [
          { index: { _type: 'books', _id: 'z' } },
          {},
          { index: { _type: 'users', _index: '%millrace' } },
          {},
        ];
        expect(await outcome('bulk.import', { body: { bulkData: bulkData.slice(2) } })).toMatch(/^403 /);
        expect(await outcome('bulk.import', { index, body: { bulkData } })).toMatch(/^403 /);
        expect(await outcome('document.get', { index, collection: 'books', _id: 'z' })).toMatch(/^404 /);
      });

      it('bulk.import over an index: each line names its collection', async () => {
        const index = server().newIndex();
        const lines = (meta: JsonObject) => ({ bulkData: [{ create: { _id: 'x', ...meta } }, {}] });
        expect(await result('bulk.import', { index, body: lines({ _type: 'books' }) })).toMatchObject({
          hits: [{ create: { _index: index, _type: 'books', status: 201 } }],
        });
        expect(await outcome('bulk.import', { index, body: lines({}) })).toMatch(/^400 /);
        expect(await outcome('bulk.import', { index, body: lines({ _type: 'c', _index: 'other' }) })).toMatch(/^400 /);
      });

      it('a specification holds for every item', async () => {
        const at = await filled();
        const fields = { n: { type: 'integer', typeOptions: { range: { max: 5 } } } };
        const body = { [at.index]: { books: { strict: false, fields } } };
        await result('collection.updateSpecifications', { body });
        const documents = [3, 9].map((n, i) => ({ _id: `s${i}`, body: { n } }));
        const made = await response('document.mCreate', { ...at, body: { documents } });
        expect(made).toMatchObject({ status: 206, result: { successes: [{ _id: 's0' }], errors: [{ status: 400 }] } });
        const bulkData = [{ create: { _id: 's2' } }, { n: 9 }, { create: { _id: 's3' } }, { n: 1 }];
        const imported = await response('bulk.import', { ...at, body: { bulkData } });
        expect(imported).toMatchObject({
          status: 206,
          result: { hits: [{ create: { status: 400 } }, { create: { status: 201 } }] },
        });
      });
    });
  });
}
