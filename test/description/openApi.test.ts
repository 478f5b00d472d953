import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAction, definePlugin, route, schema, text, type JsonObject } from '@millrace/kernel';
import { openDescribedServer } from './openDescribedServer.js';
import { OpenApiCheck } from './OpenApiCheck.js';

const shop = definePlugin({
  name: 'shop',
  kernel: '*',
  setup(host) {
    host.controller([
      defineAction({
        controller: 'shop',
        action: 'price',
        summary: 'Tells a price.',
        routes: [route('GET /_shop/:article/_price')],
        args: { article: text(), currency: text() },
        result: schema.named('Price', schema.object({ cents: schema.integer() })),
        writes: false,
        run: () => ({ cents: 1 }),
      }),
      defineAction({
        controller: 'shop',
        action: 'plain',
        summary: 'Describes no result.',
        routes: [route('POST /_shop/_plain')],
        args: {},
        writes: true,
        run: () => null,
      }),
    ]);
  },
});

const HEALTH_PAGES = ['/livez', '/readyz', '/startupz'];

const nameOf = (reference: unknown) => String(reference).split('/').at(-1) ?? '';

type Operation = JsonObject & { readonly parameters?: readonly JsonObject[] };

describe('GET /_openapi', () => {
  let server: Awaited<ReturnType<typeof openDescribedServer>>;
  let document: JsonObject;
  const operation = (path: string, method: string): Operation =>
    ((document['paths'] as JsonObject)[path] as JsonObject)[method] as Operation;

  beforeAll(async () => {
    server = await openDescribedServer([shop]);
    document = await server.read('/_openapi');
  });
  afterAll(() => server.close());

  it('is an OpenAPI 3.1 document by the judgement of a validator', async () => {
    const validator = new Validator();
    expect(await validator.validate(document as Parameters<Validator['validate']>[0])).toEqual({
      valid: true,
    });
    expect(validator.version).toBe('3.1');
  });

  it('holds every route of every action once, those of plugins included', () => {
    const { paths } = document as { readonly paths: Record<string, JsonObject> };
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = [...server.kernel.actions]
      .flatMap((action) => action.routes)
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const isRoute = (each: string) =>
      !each.startsWith('PARAMETERS') && !HEALTH_PAGES.includes(each.replace('GET ', ''));
    expect(described.filter(isRoute).sort()).toEqual([...new Set(routes)].sort());
  });

  it('holds the health pages (HEALTH-1)', () => {
    for (const page of HEALTH_PAGES) {
      expect(operation(page, 'get')).toMatchObject({ tags: ['health'], security: [{}] });
    }
  });

  it('gives each operation a separate name', () => {
    const { operationIds } = new OpenApiCheck(document);
    expect(new Set(operationIds).size).toBe(operationIds.length);
  });

  it('lists arguments, limits and results of an action of a plugin', () => {
    expect(operation('/_shop/{article}/_price', 'get')).toMatchObject({
      operationId: 'shopPrice',
      tags: ['shop'],
      parameters: [
        { name: 'article', in: 'path', required: true },
        { name: 'currency', in: 'query', description: 'A string.' },
      ],
    });
    const { schemas } = document['components'] as { readonly schemas: JsonObject };
    expect(schemas['Price']).toEqual({
      title: 'Price',
      type: 'object',
      required: ['cents'],
      properties: { cents: { type: 'integer', minimum: 0 } },
    });
  });

  it('describes the result of every action of the server itself', () => {
    const own = [...server.kernel.actions].filter(({ controller }) => controller !== 'shop');
    const bare = own.filter(({ result, mediaType }) => (result ?? mediaType) === undefined);
    expect(bare.map(({ controller, action }) => `${controller}.${action}`)).toEqual([]);
  });

  it('puts arguments where HTTP takes them', () => {
    const search = operation('/{index}/{collection}/_search', 'post');
    expect(search.parameters?.map(({ name, in: where }) => `${where as string} ${name as string}`)).toEqual([
      'path index', 'path collection', 'query from', 'query size', 'query scroll',
    ]); // prettier-ignore
    const mGet = operation('/{index}/{collection}/_mGet', 'post');
    expect(mGet['requestBody']).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { required: ['ids'] } } },
    });
  });

  it('describes the headers of conditions, versions and hints where they apply', () => {
    const shown: Record<string, string> = {};
    const { paths } = document as { readonly paths: Record<string, Record<string, Operation>> };
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { parameters = [], responses }] of Object.entries(item)) {
        if (method === 'parameters') continue;
        const asked = parameters.flatMap(({ $ref }) => ($ref === undefined ? [] : [nameOf($ref)]));
        const { headers = {} } = (responses as Record<string, JsonObject>)['200'] ?? {};
        const names = [...asked, ...Object.keys(headers as JsonObject)].filter((name) => !/^Idempot/.test(name));
        if (names.length > 0) shown[`${method} ${path.replace('/{index}/{collection}', '')}`] = names.join(' ');
      }
    }
    expect(shown).toEqual({
      'get /{_id}': 'ETag',
      'post /_create': 'IfNoneMatch ETag',
      'put /_create': 'IfNoneMatch ETag',
      'post /{_id}/_create': 'IfNoneMatch ETag',
      'put /{_id}/_create': 'IfNoneMatch ETag',
      'put /{_id}': 'IfMatch IfNoneMatch ETag',
      'put /{_id}/_createOrReplace': 'IfMatch IfNoneMatch ETag',
      'put /{_id}/_replace': 'IfMatch ETag',
      'put /{_id}/_update': 'IfMatch ETag',
      'post /{_id}/_upsert': 'ETag',
      'delete /{_id}': 'IfMatch',
      'post ': 'Millrace-Hint',
      'post /_publish': 'Millrace-Hint',
    });
    const conditional = operation('/{index}/{collection}/{_id}/_replace', 'put');
    expect(conditional['responses']).toHaveProperty('412');
  });

  it('describes idempotency keys where an action changes something (IDEM-2)', () => {
    const key = { $ref: '#/components/parameters/IdempotencyKey' };
    for (const [path, method, isTaken] of [
      ['/{index}/{collection}/_create', 'post', true],
      ['/{index}/{collection}/_publish', 'post', true],
      ['/{index}/{collection}/_search', 'post', false],
      ['/_refreshToken', 'post', false],
    ] as const) {
      const { parameters = [], responses } = operation(path, method);
      const { headers = {} } = (responses as Record<string, JsonObject>)['200'] ?? {};
      const has = [parameters.some((each) => each.$ref === key.$ref), 'Idempotent-Replayed' in (headers as JsonObject)];
      expect([path, ...has]).toEqual([path, isTaken, isTaken]);
      if (isTaken) expect(responses).toHaveProperty('422');
    }
  });

  it('tells a refusal apart from what it describes', () => {
    const check = new OpenApiCheck(document);
    const exchange = {
      method: 'GET',
      url: '/_now',
      requestBody: '',
      requestType: '',
      status: 200,
      responseType: 'application/json',
      responseHeaders: {},
      responseBody: JSON.stringify({ requestId: 'a', status: 200, result: { now: 'late' } }),
    };
    expect(check.problemsOf(exchange)?.join()).toMatch(/result\/now must be integer/);
    expect(check.problemsOf({ ...exchange, status: 418 })?.join()).toContain('418 is not described');
  });

  it('is made once, and the same to a message of another protocol as its result', async () => {
    const first = await server.kernel.execute({ controller: 'server', action: 'openapi' });
    const second = await server.kernel.execute({ controller: 'server', action: 'openapi' });
    expect(first.result).toBe(second.result);
    expect(JSON.parse(JSON.stringify(first.result))).toEqual(document);
  });

  it('is for whom server.info is for', async () => {
    const headers = { 'content-type': 'application/json' };
    const url = server.urlOf('http');
    await fetch(`${url}/_createFirstAdmin`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ password: 'a long password' }),
    });
    expect((await fetch(`${url}/_openapi`)).status).toBe(200);
    const refused = { controllers: { server: { actions: { openapi: true } } } };
    const admin = { user: { _id: 'admin', profileIds: ['admin'] } };
    const change = { controller: 'security', action: 'createOrReplaceRole', _id: 'anonymous' };
    expect((await server.kernel.execute({ ...change, body: refused }, admin)).status).toBe(200);
    expect((await fetch(`${url}/_openapi`)).status).toBe(401);
    expect((await fetch(`${url}/_asyncapi`)).status).toBe(401);
  });
});
