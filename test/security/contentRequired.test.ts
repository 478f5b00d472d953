import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../startKernel.js';

const AT = { index: 'i', collection: 'c' };

describe('a body that is content is required (PROTO-6)', () => {
  let server: StartedKernel;
  beforeAll(async () => {
    server = await startKernel();
    await server.ask('PUT', '/i/c/kept', { a: 1 });
  });
  afterAll(() => server.close());

  const stored = async () => (await server.ask('GET', '/i/c/kept')).body.result;

  it.each([
    ['PUT', '/i/c/kept'],
    ['PUT', '/i/c/kept/_createOrReplace'],
    ['PUT', '/i/c/kept/_replace'],
    ['PUT', '/i/c/kept/_update'],
    ['POST', '/i/c/_create'],
    ['PUT', '/i/c/new/_create'],
    ['POST', '/i/c/_validate'],
    ['POST', '/i/c'],
    ['POST', '/i/c/_publish'],
    ['PUT', '/i/c/_mapping'],
  ])('%s %s without a body, or with null, is 400 and changes nothing', async (method, path) => {
    const before = await stored();
    for (const body of [undefined, 'null']) {
      const { status, body: answer } = await server.ask(method, path, body);
      expect([status, answer.error]).toMatchObject([
        400,
        { id: 'api.missing_argument', message: expect.stringContaining('"body"') as unknown },
      ]);
    }
    expect(await stored()).toEqual(before);
    expect((await server.ask('POST', '/i/c/_count', {})).body.result).toEqual({ count: 1 });
  });

  it.each(['create', 'createOrReplace', 'replace', 'update', 'validate'])(
    'document.%s without a body is refused in a message too',
    async (action) => {
      const fields = { controller: 'document', action, ...AT, _id: 'kept' };
      for (const sent of [fields, { ...fields, body: null }]) {
        const { status, error } = await server.kernel.execute(sent);
        expect([status, error?.id]).toEqual([400, 'api.missing_argument']);
      }
    },
  );

  it('an explicit empty object is a document, and a mapping needs properties', async () => {
    expect((await server.ask('PUT', '/i/c/empty', {})).status).toBe(200);
    expect((await server.ask('DELETE', '/i/c/empty')).status).toBe(200);
    const { status, body } = await server.ask('PUT', '/i/c/_mapping', {});
    expect([status, body.error]).toMatchObject([400, { message: expect.stringContaining('"properties"') as unknown }]);
  });
});
