import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type Answer, type StartedKernel } from '../startKernel.js';

const COUNT = 70;
const ids = Array.from({ length: COUNT }, (_, n) => `d${n}`);
const LONG = 'x'.repeat(1_000_000);

let started: StartedKernel;
const ask = (path: string, body: object) => started.ask('POST', `/big/docs/${path}`, body);
const hitsOf = ({ body }: Answer) => (body.result as { hits: { _source: { n: number } }[] }).hits;
const refusal = ({ status, body }: Answer) => {
  const { id, message } = body.error as { id: string; message: string };
  return { status, id, message };
};
const TOO_LARGE = {
  status: 400,
  id: 'query.result_too_large',
  message: expect.stringMatching(/^The result has more than 64 MiB: .*"from" and "size".*scroll.*"_source"/) as string,
}; // prettier-ignore

beforeAll(async () => {
  started = await startKernel();
  for (const [n, id] of ids.entries()) {
    const { status } = await started.ask('PUT', `/big/docs/${id}`, { n, long: LONG });
    expect(status).toBe(200);
  }
});
afterAll(() => started.close());

describe('results above 64 MiB (SEARCH-12)', () => {
  it('of a search are refused; in pages all documents are given', async () => {
    expect(refusal(await ask('_search', { size: 10_000 }))).toEqual(TOO_LARGE);
    const found: number[] = [];
    for (const from of [0, 30, 60]) {
      const page = await ask('_search', { sort: ['n'], from, size: 30 });
      found.push(...hitsOf(page).map(({ _source }) => _source.n));
    }
    expect(found).toEqual(ids.map((_, n) => n));
    const parts = await ask('_search', { size: 10_000, _source: ['n'] });
    expect(hitsOf(parts)).toHaveLength(COUNT);
  });

  it('of a scroll are refused; in smaller pages all documents are given', async () => {
    expect(refusal(await ask('_search?scroll=1m', { size: 1_000 }))).toEqual(TOO_LARGE);
    const found: number[] = [];
    let page = await ask('_search?scroll=1m', { sort: ['n'], size: 30 });
    while (hitsOf(page).length > 0) {
      found.push(...hitsOf(page).map(({ _source }) => _source.n));
      const { _scroll_id: id } = page.body.result as { _scroll_id: string };
      page = await started.ask('POST', `/_scroll/${id}`);
    }
    expect(found).toEqual(ids.map((_, n) => n));
  });

  it('of mGet are refused; also for one document asked for many times', async () => {
    expect(refusal(await ask('_mGet', { ids }))).toEqual(TOO_LARGE);
    expect(refusal(await ask('_mGet', { ids: Array.from({ length: 1_000 }, () => 'd1') }))).toEqual(TOO_LARGE);
    const some = await ask('_mGet', { ids: [...ids.slice(0, 3), 'none'] });
    expect(some.status).toBe(206);
    const { successes, errors } = some.body.result as {
      successes: { _source: { n: number } }[];
      errors: unknown[];
    };
    expect(successes.map(({ _source }) => _source.n)).toEqual([0, 1, 2]);
    expect(errors).toMatchObject([{ _id: 'none', status: 404 }]);
  });

  it('of mUpdate are refused before anything is written', async () => {
    const documents = ids.map((_id) => ({ _id, body: { changed: true } }));
    const changed = async () => (await ask('_count', { query: { exists: { field: 'changed' } } })).body;
    expect(refusal(await started.ask('PUT', '/big/docs/_mUpdate', { documents }))).toEqual(TOO_LARGE);
    expect(await changed()).toMatchObject({ result: { count: 0 } });
    const some = await started.ask('PUT', '/big/docs/_mUpdate', {
      documents: documents.slice(0, 20),
    });
    expect(some.status).toBe(200);
    expect(await changed()).toMatchObject({ result: { count: 20 } });
  });

  it('of aggregations are refused', async () => {
    const aggs = { a: { terms: { field: 'n', size: 100 }, aggs: { top: { top_hits: { size: 1 } } } } };
    expect(refusal(await ask('_search', { size: 0, aggs }))).toEqual(TOO_LARGE);
  });
});
