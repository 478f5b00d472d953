import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  coreErrors,
  defineAction,
  definePlugin,
  documentErrors,
  RawContent,
  required,
  route,
  silentLogger,
  text,
  type JsonObject,
  type ResponseMessage,
} from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { startKernel, type Answer } from '../startKernel.js';
import { flatRole, fresh, startSecured, type SecuredServer } from '../security/securedServer.js';

const AT = { index: 'shop', collection: 'orders' };
const PATH = '/shop/orders';

/** Actions whose runs are counted and held. */
function countedActions() {
  const runs: string[] = [];
  const held = new Map<string, () => void>();
  const base = { controller: 'counted', summary: '', writes: true, access: 'public' } as const;
  const plugin = definePlugin({
    name: 'counted',
    kernel: '^0.1.0',
    setup: (host) => {
      const named = (action: string, run: (name: string) => JsonObject | Promise<JsonObject>) =>
        defineAction({
          ...base,
          action,
          routes: [route(`POST /_plugin/counted/${action}/:name`)],
          args: { name: required(text()) },
          run: ({ args }) => {
            runs.push(`${action} ${args.name}`);
            return run(args.name);
          },
        });
      host.controller([
        named('hold', (name) => new Promise((resolve) => held.set(name, () => resolve({ name })))),
        named('fail', (name) => {
          throw name === '503' ? coreErrors.overloaded({}) : documentErrors.not_found({ ...AT, id: name });
        }),
        named('large', (name) => ({ name, text: 'x'.repeat(70_000) })),
        named('wide', (name) => ({ name, list: Array.from({ length: 500 }, (_, i) => i) })),
        defineAction({
          ...base, action: 'raw', routes: [route('POST /_plugin/counted/raw')], args: {},
          run: () => {
            runs.push('raw');
            return new RawContent('text/plain', 'once');
          },
        }),
        defineAction({
          ...base, action: 'read', writes: false, routes: [route('GET /_plugin/counted/read')], args: {},
          run: () => runs.push('read'),
        }),
      ]); // prettier-ignore
    },
  });
  return { plugin, runs, release: (name: string) => held.get(name)?.() };
}

const key = () => fresh('key-0123456789');
const idOf = ({ body }: Answer) => (body.error as { readonly id: string } | null)?.id;

describe('requests with an idempotency key', () => {
  const counted = countedActions();
  let server: SecuredServer;
  let http: (
    path: string,
    idempotencyKey: string,
    body?: unknown,
    more?: Record<string, string>,
    method?: string,
  ) => Promise<Answer>;

  beforeAll(async () => {
    server = await startSecured({}, { plugins: [counted.plugin] });
    await server.result('PUT', PATH);
    http = (path, idempotencyKey, body, more = {}, method = 'POST') =>
      server.started.ask(method, path, body, {
        authorization: `Bearer ${server.adminJwt}`,
        'idempotency-key': idempotencyKey,
        ...more,
      });
  });
  afterAll(() => server.close());

  const execute = (fields: JsonObject): Promise<ResponseMessage> =>
    server.started.kernel.execute({ jwt: server.adminJwt, ...fields });
  const count = async () => {
    const { result } = await execute({ controller: 'document', action: 'count', ...AT, body: {} });
    return (result as { readonly count: number }).count;
  };

  it('a repeat gets the answer of the first and writes nothing (IDEM-4)', async () => {
    const before = await count();
    const k = key();
    const first = await http(
      `${PATH}/_create?refresh=wait_for`,
      k,
      { n: 1, m: { a: 1, b: 2 } },
      { 'x-request-id': 'one' },
    );
    const again = await http(
      `${PATH}/_create?refresh=wait_for`,
      k,
      { m: { b: 2, a: 1 }, n: 1 },
      { 'x-request-id': 'two' },
    );
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotent-replayed')).toBe(null);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('etag')).toBe('"1"');
    expect(again.body).toEqual({ ...first.body, requestId: 'two', replayed: true });
    expect(await count()).toBe(before + 1);
  });

  it('the key is a field of messages, and the same in quotation marks (IDEM-1)', async () => {
    const k = key();
    const fields = { controller: 'document', action: 'create', ...AT, idempotencyKey: k, body: { n: 2 } };
    const first = await execute({ ...fields, metadata: { m: 1 } });
    expect([first.status, first.replayed]).toEqual([200, undefined]);
    const quoted = await http(`${PATH}/_create`, `"${k}"`, { n: 2 });
    expect(quoted.body).toMatchObject({ result: first.result, replayed: true, metadata: {} });
  });

  it.each(['', 'a b', 'x'.repeat(129), 'é', 7, { a: 1 }])('the key %j is refused (IDEM-1)', async (bad) => {
    // prettier-ignore
    const fields = { controller: 'document', action: 'create', ...AT, body: {} };
    const { error } = await execute({ ...fields, idempotencyKey: bad });
    expect(error).toMatchObject({
      id: 'api.invalid_argument',
      message: expect.stringContaining('idempotencyKey') as string,
    });
  });

  it('a malformed header is refused by its name (IDEM-1)', async () => {
    const refused = await http(`${PATH}/_create`, 'two words', {});
    expect(refused.text).toContain('Argument \\"Idempotency-Key\\" is invalid');
    expect(refused.status).toBe(400);
  });

  it('a header and a field with two keys are refused (IDEM-1)', async () => {
    const [k, other] = [key(), key()];
    const refused = await http(`${PATH}/_create?idempotencyKey=${other}`, k, {});
    expect([refused.status, idOf(refused)]).toEqual([400, 'api.invalid_argument']);
    expect(refused.text).toContain('expected the key of the header Idempotency-Key');
    expect((await http(`${PATH}/_create?idempotencyKey=${k}`, k, {})).status).toBe(200);
  });

  it('reads ignore the key, also a malformed one (IDEM-2)', async () => {
    const k = key();
    counted.runs.length = 0;
    await http('/_plugin/counted/read', k, undefined, {}, 'GET');
    await http('/_plugin/counted/read', k, undefined, {}, 'GET');
    expect((await http('/_plugin/counted/read', 'two words', undefined, {}, 'GET')).status).toBe(200);
    expect(counted.runs).toEqual(['read', 'read', 'read']);
  });

  it('a published message is sent once (IDEM-2, IDEM-4)', async () => {
    const received: unknown[] = [];
    const { kernel } = server.started;
    const user = { _id: server.adminId, profileIds: ['admin'] };
    const { unsubscribe } = await kernel.subscribe({ ...AT }, ({ result }) => void received.push(result), { user });
    const k = key();
    await http(PATH, k, { text: 'hello' });
    const again = await http(PATH, k, { text: 'hello' });
    expect(again.body['replayed']).toBe(true);
    await http(PATH, key(), { text: 'end' });
    expect(received).toHaveLength(2);
    unsubscribe();
  });

  it('a renewed token is not kept (IDEM-2)', async () => {
    const { jwt } = await server.account(flatRole({ auth: ['refreshToken'] }));
    const first = await http('/_refreshToken', 'refresh', undefined, { authorization: `Bearer ${jwt}` });
    const second = (first.body.result as { readonly jwt: string }).jwt;
    const again = await http('/_refreshToken', 'refresh', undefined, { authorization: `Bearer ${second}` });
    expect([first.status, again.status, again.body['replayed']]).toEqual([200, 200, undefined]);
  });

  it('two users may use the same key (IDEM-3)', async () => {
    const role = flatRole({ document: ['create'] });
    const [one, other] = [await server.account(role), await server.account(role)];
    const k = key();
    const ids = [];
    for (const { jwt } of [one, other, one]) {
      const { body } = await http(`${PATH}/_create`, k, { n: 1 }, { authorization: `Bearer ${jwt}` });
      ids.push((body.result as { readonly _id: string })._id);
    }
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it.each([
    ['another body', `${PATH}/a/_create`, { n: 2 }, {}],
    ['another document', `${PATH}/b/_create`, { n: 1 }, {}],
    ['another action', `${PATH}/a/_update`, { n: 1 }, {}],
    ['another argument', `${PATH}/a/_create?refresh=wait_for`, { n: 1 }, {}],
  ])('%s under a used key is a 422 (IDEM-5)', async (_, path, body, headers) => {
    const k = key();
    await http(`${PATH}/a/_create`, k, { n: 1 });
    const method = path.includes('_update') ? 'PUT' : 'POST';
    const refused = await http(path, k, body, headers, method);
    expect([refused.status, idOf(refused)]).toEqual([422, 'idempotency.key_reused']);
  });

  it('another condition under a used key is a 422, and a failed one is kept (IDEM-5, IDEM-8)', async () => {
    await http(`${PATH}/cond/_create`, key(), { n: 1 });
    const k = key();
    const write = (match: string) => http(`${PATH}/cond`, k, { n: 2 }, { 'if-match': match }, 'PUT');
    expect((await write('"9"')).status).toBe(412);
    expect((await write('"9"')).body).toMatchObject({ status: 412, replayed: true });
    expect((await write('"1"')).status).toBe(422);
  });

  it('a repeat of a running request is a 409, another one a 422 (IDEM-5, IDEM-6)', async () => {
    const k = key();
    const first = http('/_plugin/counted/hold/slow', k);
    await expect.poll(() => counted.runs.includes('hold slow')).toBe(true);
    const repeat = await http('/_plugin/counted/hold/slow', k);
    expect([repeat.status, idOf(repeat)]).toEqual([409, 'idempotency.in_progress']);
    expect(repeat.headers.get('retry-after')).toBe('1');
    expect(idOf(await http('/_plugin/counted/hold/other', k))).toBe('idempotency.key_reused');
    counted.release('slow');
    expect((await first).status).toBe(200);
    expect((await http('/_plugin/counted/hold/slow', k)).body['replayed']).toBe(true);
    expect(counted.runs.filter((run) => run.startsWith('hold'))).toEqual(['hold slow']);
  });

  it('of 50 requests at once one is executed (IDEM-6)', async () => {
    const k = key();
    const path = `${PATH}/_create?refresh=wait_for`;
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 50 }, () => http(path, k, { n: 3 })));
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ body }) => JSON.stringify(body.result))).size).toBe(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await count()).toBe(before + 1);
  });

  it('a repeat needs a valid token and the right (IDEM-7)', async () => {
    const { jwt, roleId } = await server.account(flatRole({ document: ['create', 'get'] }));
    const k = key();
    const send = (token: string) => http(`${PATH}/_create`, k, { n: 4 }, { authorization: `Bearer ${token}` });
    expect((await send(jwt)).status).toBe(200);
    expect((await send('x.y.z')).status).toBe(401);
    const replace = (...actions: string[]) =>
      server.result('PUT', `/roles/${roleId}/_createOrReplace`, { body: flatRole({ document: actions }) });
    await replace('get');
    expect((await send(jwt)).status).toBe(403);
    await replace('create');
    expect((await send(jwt)).body).toMatchObject({ status: 200, replayed: true });
  });

  it.each([
    ['a field', { fields: { except: ['salary'] } }],
    ['the document', { documents: { term: { company: 'race' } } }],
  ])('a repeat does not show %s that is hidden since (IDEM-7)', async (_, limits) => {
    const names = ['get', 'update', 'mUpdate'];
    const actions = Object.fromEntries(names.map((name) => [name, true]));
    const role = (more: JsonObject) => ({ controllers: { document: { ...more, actions } } });
    const { jwt, roleId } = await server.account(role({}));
    const authorization = `Bearer ${jwt}`;
    const place = `/shop/${fresh('staff')}`;
    await server.result('PUT', place, { body: { properties: { company: { type: 'keyword' } } } });
    const ada = { company: 'mill', salary: 7, title: 'a' };
    await server.result('PUT', `${place}/ada`, { body: ada });
    const [one, several] = [key(), key()];
    const sendOne = () => http(`${place}/ada/_update`, one, { title: 'b' }, { authorization }, 'PUT');
    const documents = [{ _id: 'ada', body: { title: 'c' } }];
    const sendSeveral = () => http(`${place}/_mUpdate`, several, { documents }, { authorization }, 'PUT');
    for (const send of [sendOne, sendSeveral]) expect((await send()).text).toContain('"salary":7');
    for (const send of [sendOne, sendSeveral]) expect((await send()).body['replayed']).toBe(true);
    const replace = (more: JsonObject) =>
      server.result('PUT', `/roles/${roleId}/_createOrReplace`, { body: role(more) });
    await replace(limits);
    for (const send of [sendOne, sendSeveral]) {
      const refused = await send();
      expect([refused.status, idOf(refused)]).toEqual([403, 'idempotency.rights_changed']);
      expect(refused.text).not.toContain('salary');
    }
    await replace({});
    expect((await sendOne()).body['replayed']).toBe(true);
  });

  it('a repeat under a limited right that is the same gets the answer (IDEM-7)', async () => {
    const limits = { fields: { except: ['salary'] }, actions: { get: true, create: true } };
    const { jwt } = await server.account({ controllers: { document: limits } });
    const k = key();
    const send = () => http(`${PATH}/_create`, k, { n: 9 }, { authorization: `Bearer ${jwt}` });
    const first = await send();
    const again = await send();
    expect(again.body).toMatchObject({ result: first.body.result, replayed: true });
  });

  it.each([
    ['404', 1, true],
    ['503', 2, undefined],
  ])('a failure %s runs %i times (IDEM-8)', async (status, times, replayed) => {
    const k = key();
    counted.runs.length = 0;
    const path = `/_plugin/counted/fail/${status}`;
    const first = await http(path, k);
    const again = await http(path, k);
    expect(again.body).toEqual({ ...first.body, requestId: again.body['requestId'], ...(replayed && { replayed }) });
    expect([first.status, counted.runs.length]).toEqual([Number(status), times]);
  });

  it('a missing argument is not kept (IDEM-8)', async () => {
    const k = key();
    expect((await http(`${PATH}/_create`, k)).status).toBe(400);
    expect((await http(`${PATH}/_create`, k, { n: 1 })).status).toBe(200);
  });

  it('a partial success is kept (IDEM-8)', async () => {
    const k = key();
    const documents = [
      { _id: 'p1', body: {} },
      { _id: 'p1', body: {} },
    ];
    const send = () => http(`${PATH}/_mCreate`, k, { documents });
    const first = await send();
    expect(first.status).toBe(206);
    expect((await send()).body).toEqual({ ...first.body, requestId: expect.any(String) as string, replayed: true });
  });

  it.each(['large/it', 'raw'])('the answer of %s is not kept, nor is it executed again (IDEM-10)', async (name) => {
    // prettier-ignore
    const k = key();
    counted.runs.length = 0;
    expect((await http(`/_plugin/counted/${name}`, k)).status).toBe(200);
    const again = await http(`/_plugin/counted/${name}`, k);
    expect([again.status, idOf(again)]).toEqual([409, 'idempotency.answer_not_kept']);
    expect(counted.runs).toHaveLength(1);
  });

  it('a long list is kept up to the limit (IDEM-10)', async () => {
    const k = key();
    const first = await http('/_plugin/counted/wide/it', k);
    expect((await http('/_plugin/counted/wide/it', k)).body).toMatchObject({
      result: first.body.result,
      replayed: true,
    });
  });

  it('a large import can not have a key (IDEM-12)', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => [{ index: { _id: `${i}` } }, { text: 'x'.repeat(400) }]);
    const body = { bulkData: lines.flat() };
    const refused = await http(`${PATH}/_bulk`, key(), body);
    expect([refused.status, idOf(refused)]).toEqual([400, 'api.invalid_argument']);
    const few = { bulkData: lines.slice(0, 2).flat() };
    const k = key();
    expect((await http(`${PATH}/_bulk`, k, few)).status).toBe(200);
    expect((await http(`${PATH}/_bulk`, k, few)).body['replayed']).toBe(true);
  });

  it('no user reads stored responses (DOC-4)', async () => {
    expect((await server.http('GET', '/%25millrace/answers/x')).status).toBe(403);
  });
});

describe('idempotency keys of anonymous callers', () => {
  it('have at least 16 characters and one name space (IDEM-3)', async () => {
    const { ask, kernel, close } = await startKernel();
    const send = (k: string) => ask('POST', `${PATH}/_create`, { n: 1 }, { 'idempotency-key': k });
    await ask('PUT', PATH);
    const short = await send('order-1');
    expect([short.status, short.text.includes('at least 16 characters')]).toEqual([400, true]);
    const k = key();
    const first = await send(k);
    const fields = { controller: 'document', action: 'create', ...AT, idempotencyKey: k, body: { n: 1 } } as const;
    const again = await kernel.execute(fields);
    expect(again).toMatchObject({ status: 200, result: first.body.result, replayed: true });
    await close();
  });
});

describe('kept answers', () => {
  it('survive a restart, and count against the share of their user afterwards (IDEM-11, IDEM-13)', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-idempotency-'));
    const { plugin, runs } = countedActions();
    const config = { http: { port: 0 }, server: { dataDir }, idempotency: { maxBytes: 1_048_576 } };
    const open = async () => {
      const kernel = new Kernel({ config, plugins: [plugin], logger: silentLogger });
      await kernel.start();
      return kernel;
    };
    const user = { _id: 'ada', profileIds: ['admin'] };
    const send = (kernel: Kernel, n: number, who = user) => {
      const fields = { controller: 'counted', action: 'wide', name: 'x', idempotencyKey: `k${n}` };
      return kernel.execute(fields, { user: who });
    };
    const first = await open();
    let n = 0;
    while ((await send(first, n)).status === 200 && n < 2_000) n++;
    const refused = await send(first, n);
    expect(refused.error?.id).toBe('idempotency.too_many_keys');
    // An entry takes 512 bytes, and its answer 2 KB: two thirds of 1 MiB.
    expect(n).toBeGreaterThan(250);
    expect(n).toBeLessThan(700);
    await first.stop();

    const second = await open();
    expect(await send(second, 0)).toMatchObject({ status: 200, replayed: true });
    expect((await send(second, n)).status).toBe(429);
    expect((await send(second, n, { ...user, _id: 'grace' })).status).toBe(200);
    expect(runs).toHaveLength(n + 1);
    await second.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
});
