import { describe, expect, it } from 'vitest';
import {
  alsoInBody,
  custom,
  defineAction,
  indexName,
  integer,
  required,
  route,
  schema,
  text,
  type Arguments,
  type JsonObject,
} from '@millrace/kernel';
import { ArgumentPlaces, type Place } from './ArgumentPlaces.js';

function placesOf(spelling: Parameters<typeof route>[0], args: Arguments, content?: JsonObject) {
  const action = defineAction({
    controller: 'shop',
    action: 'look',
    summary: 'Looks.',
    routes: [route(spelling)],
    args,
    ...(content === undefined ? undefined : { content }),
    writes: false,
    run: () => null,
  });
  const { path, query, body } = new ArgumentPlaces(action, route(spelling));
  const show = (places: readonly Place[]) =>
    places.map(({ name, isRequired }) => (isRequired ? name : `${name}?`)).join(' ');
  return { path: show(path), query: show(query), body: show(body) };
}

const list = custom('a list', { type: 'array' }, (value) => value);

describe('ArgumentPlaces (PROTO-23)', () => {
  it('finds parameters of the path, required, even if no argument declares them', () => {
    expect(placesOf('POST /:index/:other', { index: indexName(), size: integer() })).toEqual({
      path: 'index other',
      query: 'size?',
      body: '',
    });
  });

  it('lets optional scalars of the body be in the query string too, but no lists and nothing required', () => {
    const args = {
      from: alsoInBody(integer()),
      ids: alsoInBody(list),
      token: alsoInBody(required(text())),
    };
    expect(placesOf('POST /x', args)).toEqual({
      path: '',
      query: 'from?',
      body: 'from? ids? token',
    });
  });

  it('puts everything into the query string of a GET, members of the body included', () => {
    const content = schema.object({ field: schema.text }, { count: schema.integer() });
    const args = { key: text(), ids: alsoInBody(list) };
    expect(placesOf('GET /x/:key', args, content)).toEqual({
      path: 'key',
      query: 'field count? ids?',
      body: '',
    });
  });
});
