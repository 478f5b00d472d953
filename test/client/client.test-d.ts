import { createClient, isError, type FieldPath } from '@millrace/client';
import { expectTypeOf, test } from 'vitest';

interface Station {
  name: string;
  bikes: number;
  tags?: string[];
  place?: { street?: string; point: { lat: number; lon: number; deep: { deeper: { no: 1 } } } };
  stops: { line: string }[];
}

interface Schema {
  city: { stations: Station };
  library: { books: { title: string } };
}

// Never runs: only the compiler looks at it.
const client = createClient<Schema>('http://127.0.0.1:7511');
const stations = client.collection('city', 'stations');

test('names of indexes and collections are those of the schema', () => {
  client.collection('library', 'books');
  // @ts-expect-error no such index
  client.collection('town', 'stations');
  // @ts-expect-error a collection of another index
  client.collection('city', 'books');
});

test('documents are typed', async () => {
  const one = await stations.get('s-1');
  expectTypeOf(one!.source).toEqualTypeOf<Station>();
  // @ts-expect-error it may be absent
  void one.version;
  // @ts-expect-error no such field
  void one!.source.wheels;
  // @ts-expect-error a member of the wrong type
  void stations.create({ name: 'x', bikes: '3', stops: [] });
  // @ts-expect-error members are missing
  void stations.createOrReplace('s-1', { name: 'x' });
  void stations.update('s-1', { bikes: 3, place: { street: 'Scribe' } }, { ifVersion: 2 });
  // @ts-expect-error no such field
  void stations.update('s-1', { wheels: 3 });
  // @ts-expect-error a list is replaced as a whole
  void stations.update('s-1', { stops: [{}] });
  // @ts-expect-error creations have no version to compare
  void stations.create({ name: 'x', bikes: 3, stops: [] }, { ifVersion: 1 });
});

test('field paths are complete to a depth of three', () => {
  expectTypeOf<'place.point.lat'>().toExtend<FieldPath<Station>>();
  expectTypeOf<'stops.line'>().toExtend<FieldPath<Station>>();
  expectTypeOf<'place.point.deep.deeper.no'>().toExtend<FieldPath<Station>>();
  void stations.search({
    query: { range: { bikes: { lt: 5 } } },
    sort: [{ 'place.street': 'asc' }],
  });
  void stations.count({
    bool: { must: [{ term: { name: 'x' } }], filter: { exists: { field: 'tags' } } },
  });
  void stations.search({
    query: { term: { '_meta.author': 'ada' } },
    sort: [{ '_meta.createdAt': 'desc' }, { _id: 'asc' }, '_id'],
  });
  // @ts-expect-error no such metadata
  void stations.search({ sort: [{ '_meta.created': 'desc' }] });
  // @ts-expect-error no such field
  void stations.search({ query: { range: { wheels: { lt: 5 } } } });
  // @ts-expect-error no such field, inside a combination
  void stations.count({ bool: { must: [{ term: { 'place.town': 'x' } }] } });
  // @ts-expect-error no such field
  void stations.search({ sort: ['wheels'] });
});

test('_source narrows the documents of hits', async () => {
  const page = await stations.search({ _source: ['name'] });
  expectTypeOf(page.hits[0]!.source).toEqualTypeOf<Pick<Station, 'name'>>();
  const whole = await stations.search();
  expectTypeOf(whole.hits[0]!.source).toEqualTypeOf<Station>();
  // @ts-expect-error no such field
  void stations.search({ _source: ['wheels'] });
});

test('actions are typed by ActionMap', async () => {
  expectTypeOf(await client.actions.server.now()).toExtend<{ readonly now: number }>();
  const { result } = await client.request({ controller: 'index', action: 'list' });
  expectTypeOf(result.indexes).toEqualTypeOf<readonly string[]>();
  // @ts-expect-error no such action
  void client.actions.server.later;
  // @ts-expect-error an argument is missing
  void client.actions.index.create({});
  // @ts-expect-error an argument is missing
  void client.actions.index.create();
});

test('isError narrows details', (error: unknown) => {
  if (isError(error, 'document.partial_failure')) {
    expectTypeOf(error.details[0]!.status).toEqualTypeOf<number>();
    expectTypeOf(error.id).toEqualTypeOf<'document.partial_failure'>();
  }
  if (isError(error)) expectTypeOf(error.id).toEqualTypeOf<string>();
  // @ts-expect-error details of other errors are not known
  if (isError(error, 'document.not_found')) void error.details.length;
});

test('without a schema any collection and any field are accepted', async () => {
  const free = createClient('http://127.0.0.1:7511').collection('a', 'b');
  await free.create({ anything: [1] });
  void free.search({ query: { term: { 'a.b.c': 1 } }, sort: ['anything'] });
  const one = await free.get('1');
  void one!.source.anything;
});

test('members of extensions are there after `with` alone', () => {
  // @ts-expect-error no realtime
  void stations.subscribe;
});
