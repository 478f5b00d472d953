import { expect, it } from 'vitest';
import { onEveryEngine } from './onEveryEngine.js';

onEveryEngine('refresh (decisions.md section 6)', (server) => {
  const found = async (index: string) => {
    const { body } = await server().http('POST', `/${index}/books/_count`, {});
    return (body.result as { readonly count: number }).count;
  };

  it('wait_for and true make a write visible to search at once, over HTTP and in messages', async () => {
    const { http, message, newIndex } = server();
    const index = newIndex();
    let count = 0;
    for (const refresh of ['wait_for', 'true']) {
      expect((await http('PUT', `/${index}/books/h-${refresh}?refresh=${refresh}`, {})).status).toBe(200); // prettier-ignore
      expect(await found(index)).toBe(++count);
    }
    for (const refresh of ['wait_for', 'true', true]) {
      const _id = `m-${typeof refresh}-${refresh}`;
      const at = { index, collection: 'books', _id, body: {} };
      expect(await message({ controller: 'document', action: 'create', refresh, ...at })).toMatchObject({ status: 200 }); // prettier-ignore
      expect(await found(index)).toBe(++count);
    }
  });

  it('false and an empty value count as absent', async () => {
    const { http, message, newIndex } = server();
    const index = newIndex();
    for (const refresh of ['false', '']) {
      expect((await http('POST', `/${index}/books/_create?refresh=${refresh}`, {})).status).toBe(200); // prettier-ignore
    }
    for (const refresh of ['false', '', false, null]) {
      const sent = { controller: 'document', action: 'create', index, collection: 'books' };
      expect(await message({ ...sent, refresh, body: {} })).toMatchObject({ status: 200 });
    }
  });

  it.each([
    ['PUT', '/1', {}],
    ['POST', '/_create', {}],
    ['PUT', '/1/_replace', {}],
    ['PUT', '/1/_update', {}],
    ['POST', '/1/_upsert', { doc: {} }],
    ['DELETE', '/1', undefined],
    ['DELETE', '/_query', { query: { match_all: {} } }],
    ['PUT', '/_byQuery', { query: { match_all: {} }, doc: {} }],
    ['POST', '/_mCreate', { documents: [] }],
    ['DELETE', '/_mDelete', { ids: [] }],
    ['POST', '/_bulk', { bulkData: [{ index: {} }, {}] }],
  ])('%s %s: true is taken, another value is a 400', async (method, end, body) => {
    const { http, newIndex } = server();
    const index = newIndex();
    await http('PUT', `/${index}/books/1`, {});
    for (const refresh of ['yes', '1', 'TRUE']) {
      const refused = await http(method, `/${index}/books${end}?refresh=${refresh}`, body);
      expect(refused.body).toMatchObject({ status: 400, error: { id: 'api.invalid_argument' } });
    }
    expect((await http(method, `/${index}/books${end}?refresh=true`, body)).status).toBe(200);
  });

  it('a message with another value is a 400, whatever its action', async () => {
    for (const refresh of [1, 'yes', [], {}]) {
      const refused = await server().message({ controller: 'server', action: 'now', refresh });
      expect(refused).toMatchObject({ status: 400, error: { id: 'api.invalid_argument' } });
    }
  });
});
