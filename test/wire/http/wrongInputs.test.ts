import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../../startKernel.js';

interface WrongInput {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly id: string;
  /** What the message must name. */
  readonly names?: string;
}

const DOCS = '/wrong/docs';
const LONG = 'a'.repeat(65);

/** Wrong input over HTTP: status, id, and a message that names the field. */
const WRONG: readonly WrongInput[] = [
  // HTTP
  {
    title: 'an unknown path',
    method: 'GET',
    path: '/a/b/c/d/e',
    status: 404,
    id: 'api.route_not_found',
    names: '/a/b/c/d/e',
  },
  {
    title: 'an unknown underscore segment',
    method: 'GET',
    path: '/_nothing',
    status: 404,
    id: 'api.route_not_found',
  },
  {
    title: 'another method',
    method: 'DELETE',
    path: '/_now',
    status: 405,
    id: 'api.method_not_allowed',
    names: 'GET',
  },
  {
    title: 'malformed JSON',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: '{"a":',
    status: 400,
    id: 'api.',
  },
  {
    title: 'a body that is an array',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: '[]',
    status: 400,
    id: 'api.',
  },
  {
    title: 'another content type',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: 'a=1',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    id: 'api.unsupported_media_type',
    names: 'text/plain',
  },
  {
    title: 'another charset',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: '{}',
    headers: { 'content-type': 'application/json; charset=latin1' },
    status: 400,
    id: 'api.',
    names: 'latin1',
  },
  {
    title: 'a body over 1 MiB',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: JSON.stringify({ a: 'x'.repeat(1_100_000) }),
    status: 413,
    id: 'api.body_too_large',
    names: '1048576',
  },
  {
    title: 'a body deeper than 200 levels',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: `{"a":${'['.repeat(201)}${']'.repeat(201)}}`,
    status: 400,
    id: 'api.',
    names: '200',
  },
  {
    title: 'a number beyond the range of doubles',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: '{"a":1e400}',
    status: 400,
    id: 'api.',
    names: '1.8e308',
  },
  {
    title: 'metadata that is no JSON',
    method: 'GET',
    path: '/_now?metadata=%7Boops',
    status: 400,
    id: 'api.',
    names: 'metadata',
  },
  {
    title: 'metadata that is no object',
    method: 'GET',
    path: '/_now?metadata=5',
    status: 400,
    id: 'api.',
    names: 'metadata',
  },
  {
    title: 'a request id with a blank only',
    method: 'GET',
    path: '/_now?requestId=%20',
    status: 400,
    id: 'api.',
    names: 'requestId',
  },
  {
    title: 'a request id of 129 characters',
    method: 'GET',
    path: `/_now?requestId=${'a'.repeat(129)}`,
    status: 400,
    id: 'api.',
    names: 'requestId',
  },
  {
    title: 'a request id that is not ASCII',
    method: 'GET',
    path: '/_now?requestId=%C3%A9',
    status: 400,
    id: 'api.',
    names: 'requestId',
  },
  {
    title: 'a repeated argument',
    method: 'POST',
    path: `${DOCS}/_search?size=1&size=2`,
    body: {},
    status: 400,
    id: 'api.',
    names: 'size',
  },
  {
    title: 'a token in the address',
    method: 'GET',
    path: '/_now?jwt=abc',
    status: 400,
    id: 'api.',
    names: 'jwt',
  },
  {
    title: 'a number that is none',
    method: 'POST',
    path: `${DOCS}/_search?from=abc`,
    body: {},
    status: 400,
    id: 'api.invalid_argument',
    names: 'from',
  },
  {
    title: 'a malformed percent sequence',
    method: 'GET',
    path: `${DOCS}/%ZZ`,
    status: 400,
    id: 'api.',
  },
  // Responses and errors
  {
    title: 'a token that can not be valid',
    method: 'GET',
    path: '/_now',
    headers: { authorization: 'Bearer x.y.z' },
    status: 401,
    id: 'auth.invalid_token',
  },
  {
    title: 'a token without a scheme',
    method: 'GET',
    path: '/_now',
    headers: { authorization: 'a.b.c' },
    status: 401,
    id: 'auth.invalid_token',
  },
  {
    title: 'the internal index',
    method: 'POST',
    path: '/%25millrace/users/_search',
    body: {},
    status: 403,
    id: 'storage.internal_index',
  },
  {
    title: 'the internal index created',
    method: 'PUT',
    path: '/%25millrace',
    status: 403,
    id: 'storage.internal_index',
  },
  // Names
  {
    title: 'an index name in capitals',
    method: 'PUT',
    path: '/Upper',
    status: 400,
    id: 'storage.invalid_name',
    names: 'Upper',
  },
  {
    title: 'an index name of 65 characters',
    method: 'PUT',
    path: `/${LONG}`,
    status: 400,
    id: 'storage.invalid_name',
  },
  {
    title: 'a reserved index name',
    method: 'PUT',
    path: '/strategies',
    status: 400,
    id: 'storage.invalid_name',
    names: 'strategies',
  },
  {
    title: 'a collection name with a blank',
    method: 'PUT',
    path: '/wrong/a%20b',
    status: 400,
    id: 'storage.invalid_name',
    names: 'a b',
  },
  {
    title: 'a collection name of 65 characters',
    method: 'PUT',
    path: `/wrong/${LONG}`,
    status: 400,
    id: 'storage.invalid_name',
  },
  {
    title: 'an id with a control character',
    method: 'PUT',
    path: `${DOCS}/a%09b`,
    body: {},
    status: 400,
    id: 'storage.invalid_name',
  },
  {
    title: 'an id of 513 bytes',
    method: 'PUT',
    path: `${DOCS}/${'%C3%A9'.repeat(256)}x`,
    body: {},
    status: 400,
    id: 'storage.invalid_name',
  },
  {
    title: 'an empty id in the body',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: { _id: '' },
    status: 400,
    id: 'storage.invalid_name',
  },
  {
    title: 'an id in the body that is a number',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: { _id: 5 },
    status: 400,
    id: 'api.invalid_argument',
    names: '_id',
  },
  // Documents
  {
    title: 'a reserved key',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: { _version: 3 },
    status: 400,
    id: 'document.reserved_key',
    names: '_version',
  },
  {
    title: 'a creation of what exists',
    method: 'POST',
    path: `${DOCS}/_create`,
    body: { _id: 'there' },
    status: 409,
    id: 'document.already_exists',
    names: 'there',
  },
  {
    title: 'another version',
    method: 'PUT',
    path: `${DOCS}/there/_replace?ifVersion=9`,
    body: {},
    status: 409,
    id: 'document.version_conflict',
    names: 'ifVersion',
  },
  {
    title: 'a version that is no number',
    method: 'PUT',
    path: `${DOCS}/there/_update?ifVersion=x`,
    body: {},
    status: 400,
    id: 'api.invalid_argument',
    names: 'ifVersion',
  },
  {
    title: 'a refresh other than wait_for, true and false',
    method: 'POST',
    path: `${DOCS}/_create?refresh=yes`,
    body: {},
    status: 400,
    id: 'api.invalid_argument',
    names: 'refresh',
  },
  {
    title: 'a document that is absent',
    method: 'GET',
    path: `${DOCS}/absent`,
    status: 404,
    id: 'document.not_found',
    names: 'absent',
  },
  {
    title: 'a collection of an absent index',
    method: 'POST',
    path: '/nowhere/docs/_search',
    body: {},
    status: 404,
    id: 'storage.index_not_found',
    names: 'nowhere',
  },
  {
    title: 'an index that exists',
    method: 'PUT',
    path: '/wrong',
    status: 409,
    id: 'storage.index_exists',
    names: 'wrong',
  },
  {
    title: 'deleteByQuery without a query',
    method: 'DELETE',
    path: `${DOCS}/_query`,
    body: {},
    status: 400,
    id: 'query.',
  },
  {
    title: 'a window over 10,000',
    method: 'POST',
    path: `${DOCS}/_search?from=9999&size=2`,
    body: {},
    status: 400,
    id: 'query.window_too_large',
    names: 'scroll',
  },
  {
    title: 'an unknown scroll',
    method: 'POST',
    path: '/_scroll/none',
    status: 404,
    id: 'query.scroll_not_found',
  },
  {
    title: 'a scroll span of another form',
    method: 'POST',
    path: `${DOCS}/_search?scroll=1x`,
    body: {},
    status: 400,
    id: '',
    names: 'scroll',
  },
  {
    title: 'an unknown list type',
    method: 'GET',
    path: '/wrong/_list/other',
    status: 400,
    id: 'api.invalid_argument',
    names: 'type',
  },
  {
    title: 'mGet without ids',
    method: 'POST',
    path: `${DOCS}/_mGet`,
    body: {},
    status: 400,
    id: 'api.',
    names: 'ids',
  },
  {
    title: 'mCreate with documents that are none',
    method: 'POST',
    path: `${DOCS}/_mCreate`,
    body: { documents: [1] },
    status: 400,
    id: 'api.',
    names: 'documents',
  },
  {
    title: 'mDelete of indexes by a string',
    method: 'DELETE',
    path: '/_mDelete',
    body: { indexes: 'a' },
    status: 400,
    id: 'api.',
    names: 'indexes',
  },
  {
    title: 'autoRefresh that is no boolean',
    method: 'POST',
    path: '/wrong/_autoRefresh',
    body: { autoRefresh: 'yes' },
    status: 400,
    id: 'api.',
    names: 'autoRefresh',
  },
  {
    title: 'an empty bulk',
    method: 'POST',
    path: `${DOCS}/_bulk`,
    body: { bulkData: [] },
    status: 400,
    id: 'api.',
    names: 'bulkData',
  },
  {
    title: 'a bulk line of an unknown action',
    method: 'POST',
    path: `${DOCS}/_bulk`,
    body: { bulkData: [{ upsert: {} }, {}] },
    status: 400,
    id: 'api.',
    names: '1',
  },
  {
    title: 'a bulk line with an unknown key',
    method: 'POST',
    path: `${DOCS}/_bulk`,
    body: { bulkData: [{ create: { _routing: 'x' } }, {}] },
    status: 400,
    id: 'api.',
    names: '_routing',
  },
  {
    title: 'a bulk line that contradicts the path',
    method: 'POST',
    path: `${DOCS}/_bulk`,
    body: { bulkData: [{ create: { _index: 'other' } }, {}] },
    status: 400,
    id: 'api.',
    names: 'other',
  },
  {
    title: 'a bulk line that names the internal index',
    method: 'POST',
    path: '/_bulk',
    body: { bulkData: [{ index: { _index: '%millrace', _type: 'users' } }, {}] },
    status: 403,
    id: 'storage.internal_index',
  },
  // Statistics
  {
    title: 'a statistics bound that is no number',
    method: 'POST',
    path: '/_getStats?startTime=x',
    status: 400,
    id: 'api.invalid_argument',
    names: 'startTime',
  },
  {
    title: 'a statistics start after its stop',
    method: 'POST',
    path: '/_getStats',
    body: { startTime: 2, stopTime: 1 },
    status: 400,
    id: 'api.invalid_argument',
    names: 'startTime',
  },
  // Mappings and searches
  {
    title: 'a mapping of an unknown type',
    method: 'PUT',
    path: `${DOCS}/_mapping`,
    body: { properties: { a: { type: 'stringy' } } },
    status: 400,
    id: 'storage.invalid_mapping',
    names: 'stringy',
  },
  {
    title: 'a value that does not fit',
    method: 'PUT',
    path: `${DOCS}/x`,
    body: { n: 'seven' },
    status: 400,
    id: 'document.invalid_value',
    names: 'n',
  },
  {
    title: 'an unknown query',
    method: 'POST',
    path: `${DOCS}/_search`,
    body: { query: { resembles: {} } },
    status: 400,
    id: 'query.invalid',
    names: 'resembles',
  },
  {
    title: 'a script',
    method: 'POST',
    path: `${DOCS}/_search`,
    body: { query: { script: { script: '1' } } },
    status: 400,
    id: 'query.forbidden',
    names: 'script',
  },
];

describe('wrong input over HTTP gets the stated status and names the field (PROTO-2)', () => {
  let server: StartedKernel;
  beforeAll(async () => {
    server = await startKernel();
    await server.ask('PUT', DOCS, { properties: { n: { type: 'integer' } } });
    await server.ask('PUT', `${DOCS}/there`, { n: 1 });
  });
  afterAll(() => server.close());

  it.each(WRONG)('$title: $status', async ({ method, path, body, headers, status, id, names }) => {
    const answer = await server.ask(method, path, body, headers);
    expect({ status: answer.status, error: answer.body.error }).toMatchObject({
      status,
      error: { status },
    });
    const error = answer.body.error as { id: string; message: string; stack?: string };
    expect(error.id.startsWith(id)).toBe(true);
    expect(error.message).toContain(names ?? '');
    expect(error.stack).toBeUndefined();
    expect(answer.body).toMatchObject({ state: 'done', result: null, metadata: {} });
  });

  it('goes on working after all of them', async () => {
    expect((await server.ask('GET', `${DOCS}/there`)).body.result).toMatchObject({
      _version: 1,
      _source: { n: 1 },
    });
  });
});
