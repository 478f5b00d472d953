import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineAction, route, text, type Plugin } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';

const doors: Plugin = {
  name: 'doors',
  kernel: '^0.1.0',
  setup(host) {
    host.controller([
      defineAction({
        controller: 'doors',
        action: 'open',
        summary: 'Opens a door.',
        routes: [route('POST /doors/:_id')],
        args: { _id: text() },
        writes: false,
        access: 'public',
        run: () => null,
      }),
    ]);
  },
};

let server: StartedKernel;

beforeAll(async () => {
  server = await startKernel({ plugins: [doors] });
  await server.kernel.start();
});
afterAll(() => server.close());

const NAMES = [
  'users', 'profiles', 'roles', 'ms', 'validations', 'api', 'strategies', 'credentials', 'doors',
]; // prettier-ignore

it.each(NAMES)('the first segment %j of routes is no name of a new index (DOC-2)', async (index) => {
  const refused = { status: 400, error: { id: 'storage.invalid_name' } };
  const at = { index, collection: 'c' };
  const run = (fields: Readonly<Record<string, unknown>>) => server.kernel.execute(fields);
  expect(await run({ controller: 'index', action: 'create', index })).toMatchObject(refused);
  const document = { controller: 'document', ...at, _id: 'a', body: {} };
  expect(await run({ ...document, action: 'createOrReplace' })).toMatchObject(refused);
  const bulkData = [{ index: { _index: index, _type: 'c' } }, { a: 1 }, { index: { _index: 'open', _type: 'c' } }, {}];
  const imported = await run({ controller: 'bulk', action: 'import', body: { bulkData } });
  expect(imported.status).toBe(206);
  expect(imported.result).toMatchObject({ hits: [{ index: { status: 400 } }, { index: { status: 201 } }] });
  const specification = { [index]: { c: { fields: {} } } };
  expect(await run({ controller: 'collection', action: 'updateSpecifications', body: specification })).toMatchObject(
    refused,
  );
  const exists = await run({ controller: 'index', action: 'exists', index });
  expect([exists.status, exists.result]).toEqual([200, false]);
});
