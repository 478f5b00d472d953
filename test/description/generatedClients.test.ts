import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserProgram } from '../types/UserProgram.js';
import { openDescribedServer } from './openDescribedServer.js';

/*
 * The two generators of TypeScript clients that are used most, on the document that a server serves: their clients have to
 * compile in a user's program, bodies included, and to work.
 */
const AT = `path: { index: 'library', collection: 'books' }`;
const BOOK = `{ title: 'The Mill on the Floss', year: 1860, tags: ['river'] }`;
const SEARCH = `{
  query: { match: { title: 'mill' } },
  post_filter: { range: { year: { gte: 1800 } } },
  aggs: { years: { histogram: { field: 'year', interval: 100 } } },
  sort: ['year', { _id: 'asc' }],
  search_after: [1800, ''],
  min_score: 0,
  version: true,
  track_total_hits: true,
  _source: ['title'],
}`;
const WRITTEN = ['The Mill on the Floss', 1, ['The Mill on the Floss'], 404, 'document.not_found'];

// Seconds on an idle machine: thousands of lines are generated and compiled.
const LONG_MS = 600_000;

describe('clients generated from GET /_openapi', () => {
  let server: Awaited<ReturnType<typeof openDescribedServer>>;
  let program: UserProgram;
  beforeAll(async () => {
    server = await openDescribedServer();
    program = await UserProgram.create();
    await program.write('openapi.json', JSON.stringify(await server.read('/_openapi')));
  }, LONG_MS);
  afterAll(async () => {
    await program.remove();
    await server.close();
  });

  it(
    'openapi-typescript with openapi-fetch, @hey-api/openapi-ts',
    async () => {
      const types = await openapiTS(new URL(`file://${program.path('openapi.json')}`));
      await program.write('paths.ts', astToString(types));
      await program.write(
        'withFetch.ts',
        `import createClient from 'openapi-fetch';
import type { paths } from './paths.js';
declare const process: { readonly argv: readonly string[] };
const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const params = { ${AT} } as const;
const created = await client.POST('/{index}/{collection}/_create', { params: { ...params, query: { refresh: 'wait_for' } }, body: ${BOOK} });
console.log(JSON.stringify(created.data?.result._source['title']));
console.log(JSON.stringify(created.data?.result._version));
const found = await client.POST('/{index}/{collection}/_search', { params, body: ${SEARCH} });
console.log(JSON.stringify(found.data?.result.hits.map((hit) => hit._source?.['title'])));
const missing = await client.GET('/{index}/{collection}/{_id}', { params: { path: { ...params.path, _id: 'absent' } } });
console.log(JSON.stringify(missing.error?.status));
console.log(JSON.stringify(missing.error?.error?.id));
// @ts-expect-error a size is a number
await client.POST('/{index}/{collection}/_search', { params, body: { size: 'all' } });
`,
      );
      await createClient({
        input: program.path('openapi.json'),
        output: { path: program.path('heyapi'), tsConfigPath: program.path('tsconfig.json') },
        logs: { level: 'silent', file: false },
      });
      await program.write(
        'withHeyApi.ts',
        `import { client } from './heyapi/client.gen.js';
import { documentCreate, documentGet, documentSearch } from './heyapi/index.js';

declare const process: { readonly argv: readonly string[] };
client.setConfig({ baseUrl: process.argv[2] ?? '' });
const at = { ${AT} } as const;
const created = await documentCreate({ ...at, query: { refresh: 'wait_for' }, body: ${BOOK} });
console.log(JSON.stringify(created.data?.result._source['title']));
console.log(JSON.stringify(created.data?.result._version));
const found = await documentSearch({ ...at, body: ${SEARCH} });
console.log(JSON.stringify(found.data?.result.hits.map((hit) => hit._source?.['title'])));
const missing = await documentGet({ path: { ...at.path, _id: 'absent' } });
console.log(JSON.stringify(missing.error?.status));
console.log(JSON.stringify(missing.error?.error?.id));
// @ts-expect-error no such key of a search
await documentSearch({ ...at, body: { qurey: {} } });
`,
      );
      expect(await program.compile()).toBe('');
      expect(await program.run('withFetch', server.url)).toEqual(WRITTEN);
      await server.ask('DELETE', '/library/books/_truncate');
      expect(await program.run('withHeyApi', server.url)).toEqual(WRITTEN);
    },
    LONG_MS,
  );
});
