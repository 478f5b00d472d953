import { createClient, isError, type Client, type Collection } from '@millrace/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestKernel, type TestKernel } from '@millrace/testing';

interface Station {
  name: string;
  bikes: number;
  tags?: string[];
  place?: { street?: string; lat?: number };
}

interface Schema {
  city: { stations: Station };
}

const refresh = 'wait_for';

describe('collections of the client', () => {
  let server: TestKernel;
  let client: Client<Schema>;
  let stations: Collection<Station>;
  beforeAll(async () => {
    server = await startTestKernel();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    client = createClient<Schema>(server.url);
    await client.actions.index.delete({ index: 'city' }).catch(() => undefined);
    await client.actions.index.create({ index: 'city' });
    const mappings = { properties: { name: { type: 'keyword' }, bikes: { type: 'integer' } } };
    await client.actions.collection.create({
      index: 'city',
      collection: 'stations',
      body: mappings,
    });
    stations = client.collection('city', 'stations');
  });

  it('creates, reads, replaces, updates and deletes one document', async () => {
    const made = await stations.create({ name: 'Opéra', bikes: 3 });
    expect(made).toMatchObject({ version: 1, source: { name: 'Opéra', bikes: 3 } });
    expect(made.meta.createdAt).toBeGreaterThan(0);
    expect(await stations.get(made.id)).toEqual(made);
    const updated = await stations.update(made.id, { place: { street: 'Scribe' } });
    expect(updated.source).toEqual({ name: 'Opéra', bikes: 3, place: { street: 'Scribe' } });
    const replaced = await stations.replace(made.id, { name: 'Opéra', bikes: 4 });
    expect(replaced).toMatchObject({ version: 3, source: { name: 'Opéra', bikes: 4 } });
    await stations.delete(made.id);
    expect(await stations.get(made.id)).toBeNull();
    const named = await stations.create({ name: 'Nation', bikes: 1 }, { id: 's-1' });
    expect(named.id).toBe('s-1');
    expect((await stations.createOrReplace('s-1', { name: 'Nation', bikes: 2 })).version).toBe(2);
    expect((await stations.upsert('s-2', { bikes: 1 }, { name: 'Bercy' })).source).toEqual({
      name: 'Bercy',
      bikes: 1,
    });
  });

  it('refuses a write on another version, and one of an absent document', async () => {
    const { id, version } = await stations.create({ name: 'Opéra', bikes: 3 });
    await stations.update(id, { bikes: 2 }, { ifVersion: version });
    const thrown = await stations.update(id, { bikes: 1 }, { ifVersion: version }).catch((error: unknown) => error);
    expect(isError(thrown, 'document.version_conflict')).toBe(true);
    await expect(stations.delete('absent')).rejects.toMatchObject({ id: 'document.not_found' });
  });

  it('writes several documents, and returns those that failed', async () => {
    const { documents, errors } = await stations.mCreate([
      { id: 'a', source: { name: 'A', bikes: 1 } },
      { id: 'b', source: { name: 'B', bikes: 2 } },
      { id: 'a', source: { name: 'C', bikes: 3 } },
    ]);
    expect(documents.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(errors).toMatchObject([{ status: 409, _id: 'a' }]);
    await stations.mUpdate([{ id: 'b', source: { bikes: 5 } }]);
    await stations.mReplace([{ id: 'a', source: { name: 'AA', bikes: 0 } }]);
    await stations.mCreateOrReplace([{ id: 'c', source: { name: 'C', bikes: 9 } }]);
    const found = await stations.mGet(['a', 'b', 'c', 'd']);
    expect(found.documents.map(({ source }) => [source.name, source.bikes])).toEqual([
      ['AA', 0],
      ['B', 5],
      ['C', 9],
    ]);
    expect(found.errors).toMatchObject([{ status: 404, _id: 'd' }]);
    expect(await stations.mDelete(['a', 'd'])).toMatchObject({
      ids: ['a'],
      errors: [{ status: 404 }],
    });
  });

  it('searches, counts, and writes by query', async () => {
    const documents = [1, 2, 3, 4].map((bikes) => ({
      id: `s-${bikes}`,
      source: { name: `S${bikes}`, bikes },
    }));
    await stations.mCreate(documents, { refresh });
    const page = await stations.search({
      query: { range: { bikes: { gte: 2 } } },
      sort: [{ bikes: 'desc' }],
      size: 2,
      _source: ['name'],
      aggs: { all: { sum: { field: 'bikes' } } },
    });
    expect(page).toMatchObject({
      total: 3,
      timedOut: false,
      hits: [{ id: 's-4', version: 1, source: { name: 'S4' }, sort: [4], score: null }, { id: 's-3' }],
      aggregations: { all: { value: 9 } },
    });
    expect(await stations.count()).toBe(4);
    expect(await stations.count({ term: { name: 'S1' } })).toBe(1);
    const changed = await stations.updateByQuery({ range: { bikes: { lt: 3 } } }, { tags: ['few'] }, { refresh });
    expect([...changed.ids].sort()).toEqual(['s-1', 's-2']);
    const deleted = await stations.deleteByQuery({ range: { bikes: { gt: 3 } } }, { refresh });
    expect(deleted).toEqual({ ids: ['s-4'], errors: [] });
    expect(await stations.count()).toBe(3);
  });

  it('imports an iterable, and scans it in order, page by page', async () => {
    async function* many() {
      for (let bikes = 0; bikes < 1_250; bikes++) yield { name: `S${bikes % 7}`, bikes };
    }
    const progress: number[] = [];
    const onProgress = (count: number) => progress.push(count);
    const imported = await stations.import(many(), { onProgress, refresh });
    expect(imported).toEqual({ written: 1_250, failed: 0, errors: [] });
    expect(progress).toEqual([500, 1_000, 1_250]);
    const seen: number[] = [];
    const names: string[] = [];
    for await (const { source } of stations.scan({ sort: ['name'] })) {
      seen.push(source.bikes);
      names.push(source.name);
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1_250 }, (_, at) => at));
    expect(names).toEqual(names.toSorted());
    let count = 0;
    for await (const hit of stations.scan({ size: 10, query: { range: { bikes: { lt: 40 } } } })) {
      expect(hit.source.bikes).toBeLessThan(40);
      if (++count === 25) break;
    }
    const aborted = AbortSignal.abort();
    await expect(stations.scan({}, { signal: aborted }).next()).rejects.toThrow('aborted');
  });

  it('imports NDJSON as text, file and stream, and lists refused documents', async () => {
    const lines = ['{"_id":"a","name":"Ä","bikes":1}', '', '{"_id":"b","name":"B","bikes":2}'];
    expect(await stations.import(lines.join('\n'))).toMatchObject({ written: 2 });
    expect(await stations.import(new Blob([`${lines.join('\n')}\n`]))).toMatchObject({
      written: 2,
    });
    // Cut within a character of two bytes.
    const bytes = new TextEncoder().encode(lines.join('\n'));
    const cut = bytes.findIndex((byte) => byte > 127) + 1;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, cut));
        controller.enqueue(bytes.slice(cut));
        controller.close();
      },
    });
    const again = await stations.import(stream, { mode: 'create' });
    expect(again).toMatchObject({ written: 0, failed: 2, errors: [{ status: 409, _id: 'a' }, {}] });
    expect((await stations.get('a'))?.source.name).toBe('Ä');
    await expect(stations.import('{"a":1}\n{')).rejects.toThrow(/^Line 2: /);
  });

  it('sends a batch of large documents alone, and passes on the refusal of one too large', async () => {
    const street = 'x '.repeat(100_000);
    const large = Array.from({ length: 5 }, (_, bikes) => ({
      name: 'large',
      bikes,
      place: { street },
    }));
    expect(await stations.import(large)).toMatchObject({ written: 5 });
    const tooLarge = stations.import([{ name: 'x'.repeat(1_200_000), bikes: 1 }]);
    await expect(tooLarge).rejects.toMatchObject({ id: 'api.body_too_large', status: 413 });
  });
});
