import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  defineErrors,
  definePlugin,
  type CommittedWrite,
  type Emptying,
  type JsonObject,
  type PendingWrite,
  type ResponseMessage,
} from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';

const errors = defineErrors('guard', {
  reserved: { status: 400, message: () => 'createdAtMs is set by the server' },
  kept: { status: 403, message: (p: { id: string }) => `"${p.id}" is kept` },
});

/** Which engine, as configuration of a server. */
export interface PipedEngine {
  readonly config?: JsonObject;
  /** Index that the engine has to itself. */
  readonly index: string;
}

/** `id before → after`, by field n. */
function change({ id, before, after }: PendingWrite): string {
  const show = (source: JsonObject | null) => (source === null ? '-' : JSON.stringify(source['n']));
  return `${id} ${show(before)} → ${show(after)}`;
}

/** What document.beforeWrite, document.afterWrite and collection.emptied owe on an engine. */
export function describeDocumentPipes(engine: PipedEngine): void {
  describe('pipes and hooks of document writes', () => {
    const { index } = engine;
    const at = { index, collection: 'notes' };
    let started: StartedKernel;
    const shown: string[] = [];
    const written: CommittedWrite[] = [];
    const emptied: Emptying[] = [];

    const guard = ({ before, after, id }: PendingWrite) => {
      if (after === null) {
        if (before?.['kept'] === true) throw errors.kept({ id });
        return undefined;
      }
      if (after['createdAtMs'] !== before?.['createdAtMs']) throw errors.reserved({});
      if (after['bug'] === true) throw new TypeError('not for clients');
      return before === null ? { ...after, createdAtMs: 1 } : undefined;
    };
    const plugin = definePlugin({
      name: 'guard',
      kernel: '^0.1.0',
      setup(host) {
        host.pipe({
          when: 'document.beforeWrite',
          collections: `${index}/notes`,
          run: (write) => {
            shown.push(`${write.action} ${change(write)}`);
            return guard(write);
          },
        });
        host.hook('document.afterWrite', (write) => void written.push(write));
        host.hook('collection.emptied', (event) => void emptied.push(event));
      },
    });

    const run = async (name: string, fields: JsonObject = {}): Promise<ResponseMessage> => {
      const [controller = '', action = ''] = name.split('.');
      return started.kernel.execute({ controller, action, ...at, ...fields });
    };
    const put = (_id: string, body: JsonObject) => run('document.createOrReplace', { _id, body });
    const stored = async (_id: string) =>
      ((await run('document.get', { _id })).result as { _source: JsonObject })._source;

    beforeAll(async () => {
      started = await startKernel({
        plugins: [plugin],
        ...(engine.config === undefined ? {} : { config: { http: { port: 0 }, ...engine.config } }),
      });
    });
    afterAll(async () => {
      await run('index.delete');
      await started.close();
    });
    beforeEach(async () => {
      await run('index.delete');
      for (const list of [shown, written, emptied]) list.length = 0;
    });

    it('shows every way to write a document, once, with what it replaces', async () => {
      await run('document.create', { _id: 'a', body: { n: 1 } });
      await put('a', { n: 2, createdAtMs: 1 });
      await run('document.replace', { _id: 'a', body: { n: 3, createdAtMs: 1 } });
      await run('document.update', { _id: 'a', body: { n: 4 } });
      await run('document.update', { _id: 'a', body: { n: 4 } });
      await run('document.mUpdate', { body: { documents: [{ _id: 'a', body: { n: 5 } }] } });
      const bulkData = [
        { update: { _id: 'a' } },
        { doc: { n: 6 } },
        { delete: { _id: 'a' } },
        { index: { _id: 'a' } },
        { n: 7 },
      ];
      await run('bulk.import', { body: { bulkData } });
      await run('document.mDelete', { body: { ids: ['a'] } });
      await run('document.mCreate', { body: { documents: [{ _id: 'a', body: { n: 8 } }] } });
      await run('document.delete', { _id: 'a' });
      const expected = [
        'document.create a - → 1', 'document.createOrReplace a 1 → 2', 'document.replace a 2 → 3',
        'document.update a 3 → 4', 'document.mUpdate a 4 → 5', 'bulk.import a 5 → 6', 'bulk.import a 6 → -',
        'bulk.import a - → 7', 'document.mDelete a 7 → -', 'document.mCreate a - → 8', 'document.delete a 8 → -',
      ]; // prettier-ignore
      expect(shown).toEqual(expected);
      expect(written.map(({ action, id }) => `${action} ${id}`)).toEqual(
        expected.map((line) => line.split(' ').slice(0, 2).join(' ')),
      );
      expect(written.map(change)[1]).toBe('a 1 → 2');
      expect(written.map(({ version }) => version).slice(0, 4)).toEqual([1, 2, 3, 4]);
    });

    it('stores and answers what the pipe returns, whatever the action', async () => {
      const documents = [{ _id: 'c', body: { n: 3 } }];
      const created = await run('document.create', { _id: 'a', body: { n: 1 } });
      expect(created.result).toMatchObject({ _source: { n: 1, createdAtMs: 1 } });
      await put('b', { n: 2 });
      const many = await run('document.mCreate', { body: { documents } });
      expect(many.result).toMatchObject({ successes: [{ _source: { n: 3, createdAtMs: 1 } }] });
      await run('bulk.import', { body: { bulkData: [{ create: { _id: 'd' } }, { n: 4 }] } });
      for (const [n, id] of ['a', 'b', 'c', 'd'].entries()) {
        expect(await stored(id)).toEqual({ n: n + 1, createdAtMs: 1 });
      }
      expect(written.map(({ after }) => after?.['createdAtMs'])).toEqual([1, 1, 1, 1]);
    });

    it('refuses in every way to write, and writes nothing then', async () => {
      await put('a', { n: 1 });
      const body = { n: 2, createdAtMs: 9 };
      for (const action of ['createOrReplace', 'replace', 'update']) {
        const told = await run(`document.${action}`, { _id: 'a', body });
        expect(told).toMatchObject({ status: 400, error: { id: 'guard.reserved' } });
      }
      const created = await run('document.create', { collection: 'notes', _id: 'z', body });
      expect(created).toMatchObject({ status: 400, error: { id: 'guard.reserved' } });
      expect(await stored('a')).toEqual({ n: 1, createdAtMs: 1 });
      expect(written).toHaveLength(1);
    });

    it('a refused creation leaves no index behind', async () => {
      expect((await put('a', { createdAtMs: 9 })).status).toBe(400);
      expect((await run('index.exists')).result).toBe(false);
    });

    it('a refusal among many fails that document alone, with its error', async () => {
      const documents = [
        { _id: 'a', body: { n: 1 } },
        { _id: 'b', body: { n: 2, createdAtMs: 9 } },
        { _id: 'c', body: { bug: true } },
      ];
      for (const action of ['mCreate', 'mCreateOrReplace']) {
        const told = await run(`document.${action}`, { body: { documents } });
        expect(told.status).toBe(206);
        expect(told.result).toMatchObject({
          successes: [{ _id: 'a' }],
          errors: [
            { _id: 'b', status: 400, reason: 'createdAtMs is set by the server' },
            { _id: 'c', status: 500, reason: 'Plugin "guard" failed on this request' },
          ],
        });
        await run('collection.truncate');
      }
      const bulkData = [{ index: { _id: 'a' } }, { n: 1 }, { index: { _id: 'b' } }, { createdAtMs: 9 }];
      const told = await run('bulk.import', { body: { bulkData } });
      expect(told).toMatchObject({
        status: 206,
        result: { hits: [{ index: { status: 201 } }, { index: { status: 400, error: { id: 'guard.reserved' } } }] },
      });
    });

    it('deleteByQuery keeps what the pipe refuses to delete, and says so', async () => {
      await put('a', { n: 1 });
      await put('b', { n: 2, kept: true });
      await run('index.refresh');
      const query = { range: { n: { gte: 0 } } };
      const told = await run('document.deleteByQuery', { body: { query } });
      expect(told).toMatchObject({
        status: 206,
        result: { hits: ['a'], ids: ['a'] },
        error: { details: [{ _id: 'b', status: 403, reason: '"b" is kept' }] },
      });
      expect((await run('document.get', { _id: 'b' })).status).toBe(200);
    });

    it('writes that fail by their own condition are not shown', async () => {
      await put('a', { n: 1 });
      shown.length = 0;
      const told = [
        await run('document.create', { _id: 'a', body: { n: 2 } }),
        await run('document.replace', { _id: 'b', body: { n: 2 } }),
        await run('document.replace', { _id: 'a', body: { n: 2 }, ifVersion: 7 }),
        await run('document.delete', { _id: 'b' }),
        await run('document.replace', { collection: 'none', _id: 'b', body: {} }),
      ];
      expect(told.map(({ error }) => error?.id)).toEqual([
        'document.already_exists', 'document.not_found', 'document.version_conflict', 'document.not_found',
        'storage.collection_not_found',
      ]); // prettier-ignore
      expect(shown).toEqual([]);
      expect(written).toHaveLength(1);
    });

    it('of concurrent writes each is decided by what it really replaces', async () => {
      await put('a', { n: 0 });
      const numbers = Array.from({ length: 20 }, (_, i) => i + 1);
      await Promise.all(numbers.map((n) => put('a', { n, createdAtMs: 1 })));
      written.slice(1).forEach(({ before }, i) => expect(before).toEqual(written[i]?.after));
      expect(written.map(({ version }) => version)).toEqual([1, ...numbers.map((n) => n + 1)]);
    });

    it('validation specifications check what the pipe returns', async () => {
      const specification = {
        strict: true,
        fields: { n: { type: 'integer' }, createdAtMs: { type: 'integer', mandatory: true } },
      };
      await run('collection.create', { body: {} });
      const body = { [index]: { notes: specification } };
      const updated = await run('collection.updateSpecifications', { body });
      expect(updated.status).toBe(200);
      expect((await put('a', { n: 1 })).status).toBe(200);
      const wrong = await put('b', { n: 'x' });
      expect(wrong).toMatchObject({ status: 400, error: { id: 'validation.failed' } });
      const documents = [
        { _id: 'c', body: { n: 1 } },
        { _id: 'd', body: { other: 1 } },
      ];
      const many = await run('document.mCreate', { body: { documents } });
      expect(many.result).toMatchObject({ successes: [{ _id: 'c' }], errors: [{ _id: 'd', status: 400 }] });
    });

    it('silent writes are shown as well', async () => {
      await run('document.create', { _id: 'a', body: { n: 1 }, silent: true });
      expect(shown).toHaveLength(1);
      expect(written).toHaveLength(1);
    });

    it('other collections are not shown to the pipe, but to the hook', async () => {
      await run('document.create', { collection: 'others', _id: 'a', body: { createdAtMs: 9 } });
      expect(shown).toEqual([]);
      expect(written.map(({ collection }) => collection)).toEqual(['others']);
    });

    it('collection.truncate, collection.delete and index.delete are one event each', async () => {
      for (const action of ['collection.truncate', 'collection.delete', 'index.delete']) {
        await put('a', { n: 1 });
        await run(action);
      }
      expect(emptied.map(({ action, collection }) => `${action} ${collection}`)).toEqual([
        'collection.truncate notes', 'collection.delete notes', 'index.delete null',
      ]); // prettier-ignore
      expect(written.map(change)).toEqual(['a - → 1', 'a - → 1', 'a - → 1']);
      await run('document.get', { _id: 'a' });
    });
  });
}
