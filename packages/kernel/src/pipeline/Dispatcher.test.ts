import { beforeEach, describe, expect, it } from 'vitest';
import { defineAction } from '../contracts/actions/ActionDefinition.js';
import { ActionTable } from '../contracts/actions/ActionTable.js';
import { alsoInBody, integer, required, text } from '../contracts/actions/Argument.js';
import { documentId, indexName } from '../contracts/actions/nameArguments.js';
import { silentLogger } from '../contracts/runtime/silentLogger.js';
import { OpenSecurity } from '../contracts/security/OpenSecurity.js';
import { defineErrors } from '../errors/defineErrors.js';
import { Hooks } from '../events/Hooks.js';
import { createRequest } from '../messages/createRequest.js';
import type { RequestFields } from '../contracts/request/FieldReader.js';
import type { Connection } from '../contracts/request/Connection.js';
import { encodeMessage } from '../messages/encodeMessage.js';
import { Lifetime } from '../contracts/request/Lifetime.js';
import type { Request } from '../contracts/request/Request.js';
import { JsonText } from '../json/JsonText.js';
import type { JsonObject } from '../json/Json.js';
import type { Response, ResponseMessage } from '../contracts/request/Response.js';
import { Dispatcher } from './Dispatcher.js';
import { Pipes, type ActionPipe } from './Pipes.js';
import { ByteBudget } from '../concurrency/ByteBudget.js';
import { RequestScheduler } from './RequestScheduler.js';

const errors = defineErrors('test', {
  teapot: { status: 418, message: (p: { what: string }) => `no ${p.what}` },
});
const connection = { id: '1', protocol: 'test', remoteAddress: '' };

describe('Dispatcher', () => {
  let actions: ActionTable;
  let pipes: Pipes;
  let hooks: Hooks;
  let dispatcher: Dispatcher;

  const scheduler = (ordinary: number, maxWaiting: number, maxBytes = 1_000_000) =>
    new RequestScheduler({ ordinary, search: () => 1, hashing: 1, maxWaiting }, new ByteBudget(maxBytes));
  const build = (own = scheduler(100, 1000)) =>
    new Dispatcher({
      actions,
      pipes,
      hooks,
      scheduler: own,
      log: silentLogger,
      security: new OpenSecurity(),
      internalIndex: '%millrace',
      exposeStack: false,
    });
  const send = async (fields: RequestFields, target = dispatcher): Promise<ResponseMessage> =>
    (await target.dispatch(createRequest(fields, connection))).message;
  const pipe = (added: ActionPipe) => pipes.add('guard', added);

  beforeEach(() => {
    actions = new ActionTable();
    pipes = new Pipes(50);
    hooks = new Hooks(silentLogger, 50);
    actions.add(
      defineAction({
        controller: 'demo',
        action: 'echo',
        summary: '',
        routes: [],
        writes: false,
        args: { name: required(text()), size: alsoInBody(integer()) },
        run: ({ args, body }) => ({ name: args.name, size: args.size ?? null, body }),
      }),
    );
    actions.add(
      defineAction({
        controller: 'demo',
        action: 'fail',
        summary: '',
        routes: [],
        writes: false,
        args: { how: text() },
        run: ({ args }) => {
          if (args.how === 'registered') throw errors.teapot({ what: 'tea' }, { details: { pot: 1 } });
          throw new Error('secret path /etc/passwd');
        },
      }),
    );
    dispatcher = build();
  });

  it('answers with every envelope field and echoes the request (PROTO-10)', async () => {
    const sent = {
      requestId: 'r1',
      controller: 'demo',
      action: 'echo',
      index: 'i',
      collection: 'c',
      metadata: { m: 1 },
      name: 'n',
      body: { a: 1 },
    };
    expect(await send(sent)).toEqual({
      requestId: 'r1',
      status: 200,
      error: null,
      controller: 'demo',
      action: 'echo',
      index: 'i',
      collection: 'c',
      metadata: { m: 1 },
      state: 'done',
      result: { name: 'n', size: null, body: { a: 1 } },
    });
  });

  it('answers in the same turn what needs no waiting, and never throws', async () => {
    const answer = (fields: RequestFields) => dispatcher.answer(createRequest(fields, connection)) as Response;
    const events: string[] = [];
    hooks.add('request.started', 'watcher', () => events.push('started'));
    hooks.add('request.ended', 'watcher', () => events.push('ended'));
    expect(answer({ controller: 'demo', action: 'echo', name: 'n' }).message.status).toBe(200);
    expect(answer({ controller: 'demo', action: 'missing' }).message.status).toBe(404);
    expect(events).toEqual(['started', 'ended', 'started', 'ended']);
    pipe({ when: 'before', actions: 'demo.echo', run: () => undefined });
    expect(answer({ controller: 'demo', action: 'echo', name: 'n' })).toBeInstanceOf(Promise);
  });

  it('answers a result that is JSON text as if it had been a value, also to pipes and hooks', async () => {
    actions.add(
      defineAction({
        controller: 'demo',
        action: 'text',
        summary: '',
        routes: [],
        writes: false,
        args: {},
        run: () => new JsonText('{"a":[1]}'),
      }),
    );
    const fields = { controller: 'demo', action: 'text', requestId: 'r' };
    const message = await send(fields);
    expect({ ...message }).toEqual({
      requestId: 'r',
      status: 200,
      error: null,
      controller: 'demo',
      action: 'text',
      index: null,
      collection: null,
      metadata: {},
      state: 'done',
      result: { a: [1] },
    });
    expect(encodeMessage(message)).toBe(JSON.stringify(message));
    const seen: unknown[] = [];
    hooks.add('request.ended', 'watcher', ({ response }) => seen.push(response.message.result));
    await send(fields);
    pipe({
      when: 'after',
      actions: '*',
      run: (_, result) => ({ wrapped: result as JsonObject }),
    });
    expect((await send(fields)).result).toEqual({ wrapped: { a: [1] } });
    expect(seen).toEqual([{ a: [1] }, { wrapped: { a: [1] } }]);
  });

  it('repeats the token next to a result that is JSON text (PROTO-14)', async () => {
    actions.add(
      defineAction({
        controller: 'demo',
        action: 'text',
        summary: '',
        routes: [],
        writes: false,
        args: {},
        echoesToken: true,
        ignoresToken: true,
        run: () => new JsonText('7'),
      }),
    );
    const message = await send({ controller: 'demo', action: 'text', jwt: 'x' });
    expect(message).toMatchObject({ result: 7, jwt: 'x' });
    expect(JSON.parse(encodeMessage(message))).toMatchObject({ result: 7, jwt: 'x' });
  });

  it('reads an argument from the body only where the action says so, and takes it out', async () => {
    const both = await send({
      controller: 'demo',
      action: 'echo',
      name: 'n',
      size: 1,
      body: { size: 2, name: 'inner' },
    });
    expect(both.result).toEqual({ name: 'n', size: 1, body: { name: 'inner' } });
    const inBody = await send({
      controller: 'demo',
      action: 'echo',
      name: 'n',
      body: { size: '3' },
    });
    expect(inBody.result).toEqual({ name: 'n', size: 3, body: {} });
  });

  it.each([
    [{}, 400, 'api.missing_argument'],
    [{ controller: 'demo' }, 400, 'api.missing_argument'],
    [{ controller: 'nope', action: 'x' }, 404, 'api.controller_not_found'],
    [{ controller: 'demo', action: 'Echo' }, 404, 'api.action_not_found'],
    [{ controller: 'demo', action: 'constructor' }, 404, 'api.action_not_found'],
    [{ controller: '__proto__', action: 'x' }, 404, 'api.controller_not_found'],
    [{ controller: 'demo', action: 'echo' }, 400, 'api.missing_argument'],
    [{ controller: 'demo', action: 'echo', name: 5 }, 400, 'api.invalid_argument'],
    [{ controller: 'demo', action: 'echo', name: 'n', size: '1.5' }, 400, 'api.invalid_argument'],
    [{ controller: 'demo', action: 'echo', name: 'n', index: '%millrace' }, 403, 'storage.internal_index'],
    [{ controller: 'demo', action: 'echo', name: 'n', jwt: 'x' }, 401, 'auth.invalid_token'],
  ])('refuses %j with %i %s', async (fields, status, id) => {
    const response = await send(fields);
    expect(response).toMatchObject({ status, result: null, error: { id, status } });
  });

  it('shows registered errors with their details and nothing of unknown ones', async () => {
    const known = await send({ controller: 'demo', action: 'fail', how: 'registered' });
    expect(known.error).toEqual({
      id: 'test.teapot',
      status: 418,
      message: 'no tea',
      details: { pot: 1 },
    });
    const unknown = await send({ controller: 'demo', action: 'fail' });
    expect(unknown.error).toMatchObject({ id: 'core.internal', status: 500 });
    expect(JSON.stringify(unknown)).not.toContain('passwd');
  });

  it('lets pipes change the arguments and the result, and refuse', async () => {
    pipe({
      when: 'before',
      actions: 'demo.echo',
      run: (input) => ({ ...input, args: { ...input.args, name: 'piped' } }),
    });
    pipe({
      when: 'after',
      actions: 'demo.*',
      run: async (_, result) => ({ wrapped: result as never }),
    });
    expect((await send({ controller: 'demo', action: 'echo', name: 'n' })).result).toMatchObject({
      wrapped: { name: 'piped' },
    });
    pipe({
      when: 'before',
      actions: '*',
      run: () => {
        throw errors.teapot({ what: 'entry' });
      },
    });
    expect((await send({ controller: 'demo', action: 'echo', name: 'n' })).status).toBe(418);
  });

  it('judges rights by the document that the action then gets, also after a pipe has changed it', async () => {
    const decided: unknown[] = [];
    const ran: unknown[] = [];
    const authorize = ({ target: { index, id } }: Request) => {
      decided.push([index, id]);
      if (id === 'secret') throw errors.teapot({ what: 'right' });
    };
    const security = Object.assign(new OpenSecurity(), { authorize });
    dispatcher = new Dispatcher({
      actions,
      pipes,
      hooks,
      scheduler: scheduler(100, 10),
      log: silentLogger,
      security,
      internalIndex: '%millrace',
      exposeStack: false,
    });
    actions.add(
      defineAction({
        controller: 'demo',
        action: 'write',
        summary: '',
        routes: [],
        writes: true,
        args: { index: required(indexName()), _id: alsoInBody(documentId()) },
        run: ({ args }) => {
          ran.push([args.index, args._id]);
          return null;
        },
      }),
    );
    const write = { controller: 'demo', action: 'write', index: 'i' };
    expect((await send({ ...write, _id: 'a', body: { _id: 'secret' } })).status).toBe(200);
    expect((await send({ ...write, body: { _id: 'secret' } })).error?.id).toBe('test.teapot');
    let changes: JsonObject = { index: 'other', _id: 'b' };
    pipe({
      when: 'before',
      actions: 'demo.write',
      run: (input) => void Object.assign(input.args, changes),
    });
    expect((await send({ ...write, _id: 'a' })).status).toBe(200);
    changes = { _id: 'secret' };
    expect((await send({ ...write, _id: 'a' })).error?.id).toBe('test.teapot');
    changes = { _id: '' };
    expect((await send({ ...write, _id: 'a' })).error?.id).toBe('storage.invalid_name');
    changes = { index: '%millrace' };
    expect((await send({ ...write, _id: 'a' })).status).toBe(400);
    expect(ran).toEqual([
      ['i', 'a'],
      ['other', 'b'],
    ]);
    expect(decided).toEqual([
      ['i', 'a'], ['i', 'secret'], ['i', 'a'], ['other', 'b'], ['i', 'a'], ['i', 'secret'], ['i', 'a'], ['i', 'a'],
    ]); // prettier-ignore
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('x');
      },
      500,
      'core.plugin_failed',
    ],
    ['rejects', () => Promise.reject(new Error('x')), 500, 'core.plugin_failed'],
    ['never ends', () => new Promise<undefined>(() => undefined), 504, 'core.plugin_timeout'],
  ])('a pipe that %s fails that request alone and names the plugin', async (_, run, status, id) => {
    pipe({ when: 'before', actions: 'demo.echo', run });
    const response = await send({ controller: 'demo', action: 'echo', name: 'n' });
    expect(response).toMatchObject({ status, error: { id } });
    expect(response.error?.message).toContain('guard');
    expect((await send({ controller: 'demo', action: 'fail', how: 'registered' })).status).toBe(418);
  });

  it('a hook that throws or rejects is counted and changes nothing', async () => {
    hooks.add('request.ended', 'observer', () => {
      throw new Error('x');
    });
    hooks.add('request.ended', 'observer', async () => Promise.reject(new Error('y')));
    expect((await send({ controller: 'demo', action: 'echo', name: 'n' })).status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
    expect(hooks.failures.get('observer')).toBe(2);
  });

  it('answers 503 at once past the running and waiting limits, and works through the queue in order', async () => {
    const order: string[] = [];
    const release: (() => void)[] = [];
    actions.add(
      defineAction({
        controller: 'demo',
        action: 'wait',
        summary: '',
        routes: [],
        writes: false,
        args: { name: required(text()) },
        run: ({ args }) =>
          new Promise<null>((resolve) => {
            order.push(args.name);
            release.push(() => resolve(null));
          }),
      }),
    );
    const small = build(scheduler(2, 2));
    const wait = (name: string) => send({ controller: 'demo', action: 'wait', name }, small);
    const running = ['a', 'b', 'c', 'd'].map(wait);
    const refused = await wait('e');
    expect(refused).toMatchObject({ status: 503, error: { id: 'core.overloaded' } });
    for (let i = 0; i < 4; i++) {
      release[i]?.();
      await running[i];
    }
    expect(order).toEqual(['a', 'b', 'c', 'd']);
    expect((await send({ controller: 'demo', action: 'echo', name: 'n' }, small)).status).toBe(200);
  });

  describe('under load', () => {
    const release: (() => void)[] = [];
    const order: string[] = [];

    beforeEach(() => {
      release.length = 0;
      order.length = 0;
      const declare = (action: string, queue?: 'search' | 'immediate') =>
        actions.add(
          defineAction({
            controller: 'busy',
            action,
            summary: '',
            routes: [],
            writes: false,
            args: { name: required(text()) },
            ...(queue === undefined ? undefined : { queue }),
            run: ({ args }) =>
              new Promise<null>((resolve) => {
                order.push(args.name);
                release.push(() => resolve(null));
              }),
          }),
        );
      declare('ordinary');
      declare('search', 'search');
      declare('immediate', 'immediate');
    });

    const sendAs = (action: string, name: string, connection: Connection, bytes = 0) =>
      dispatcher.dispatch(
        createRequest({ controller: 'busy', action, name, metadata: { name } }, connection, null, bytes),
      );
    const from = (remoteAddress: string, id: string, lifetime = new Lifetime()) => ({
      id,
      protocol: 'test',
      remoteAddress,
      lifetime,
    });
    const finishNext = async () => {
      release.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    const settled = () => new Promise((resolve) => setImmediate(resolve));

    it('serves the request of another address after one of the crowd, not after all of it', async () => {
      dispatcher = build(scheduler(1, 1_000));
      const crowd = Array.from({ length: 50 }, (_, n) =>
        sendAs('ordinary', `crowd${n}`, from('10.0.0.1', `c${n % 7}`)),
      );
      const honest = sendAs('ordinary', 'honest', from('10.0.0.2', 'h'));
      await settled();
      for (let n = 0; n < 3; n++) await finishNext();
      expect(order.slice(0, 3)).toContain('honest');
      expect((await honest).message.status).toBe(200);
      while (release.length > 0) await finishNext();
      await Promise.all(crowd);
    });

    it('keeps searches, other requests and immediate ones out of the way of each other', async () => {
      dispatcher = build(scheduler(1, 10));
      const client = from('10.0.0.1', 'c');
      const sent = ['search', 'search', 'ordinary', 'ordinary', 'immediate', 'immediate'].map((action, n) =>
        sendAs(action, `${action}${n}`, client),
      );
      await settled();
      expect(order).toEqual(['search0', 'ordinary2', 'immediate4', 'immediate5']);
      while (release.length > 0) await finishNext();
      await Promise.all(sent);
    });

    it('drops what a closed connection waits for', async () => {
      dispatcher = build(scheduler(1, 10));
      const gone = new Lifetime();
      const first = sendAs('ordinary', 'running', from('10.0.0.1', 'a'));
      const dropped = ['x', 'y'].map((name) => sendAs('ordinary', name, from('10.0.0.1', 'b', gone)));
      const kept = sendAs('ordinary', 'kept', from('10.0.0.1', 'c'));
      await settled();
      gone.close();
      const ids = (await Promise.all(dropped)).map(({ message }) => message.error?.id);
      expect(ids).toEqual(['core.client_gone', 'core.client_gone']);
      while (release.length > 0) await finishNext();
      await Promise.all([first, kept]);
      expect(order).toEqual(['running', 'kept']);
    });

    it('refuses who may not do it without a turn', async () => {
      const security = new OpenSecurity();
      const refusing = Object.assign(security, {
        authorize: (request: Request) => {
          if (request.metadata.name === 'intruder') throw errors.teapot({ what: 'right' });
        },
      });
      dispatcher = new Dispatcher({
        actions,
        pipes,
        hooks,
        scheduler: scheduler(1, 10),
        log: silentLogger,
        security: refusing,
        internalIndex: '%millrace',
        exposeStack: false,
      });
      const running = sendAs('ordinary', 'running', from('10.0.0.1', 'a'));
      const refused = await sendAs('ordinary', 'intruder', from('10.0.0.1', 'b'));
      expect(refused.message.error?.id).toBe('test.teapot');
      await finishNext();
      await running;
      expect(order).toEqual(['running']);
    });

    it('bounds the bytes that an address makes it hold, and leaves some for others', async () => {
      dispatcher = build(scheduler(100, 100, 900));
      const crowd = [1, 2, 3].map((n) => sendAs('ordinary', `crowd${n}`, from('10.0.0.1', `c${n}`), 250));
      const honest = sendAs('ordinary', 'honest', from('10.0.0.2', 'h'), 200);
      await settled();
      expect(order).toEqual(['crowd1', 'crowd2', 'honest']);
      expect((await crowd[2])?.message).toMatchObject({ status: 503, error: { id: 'core.overloaded' } });
      while (release.length > 0) await finishNext();
      await Promise.all([...crowd, honest]);
      const later = sendAs('ordinary', 'later', from('10.0.0.1', 'c9'), 600);
      await settled();
      await finishNext();
      expect((await later).message.status).toBe(200);
    });

    it('refuses what waits when the server stops, without running it', async () => {
      dispatcher = build(scheduler(1, 10));
      const running = sendAs('ordinary', 'running', from('10.0.0.1', 'a'));
      const waiting = sendAs('ordinary', 'waiting', from('10.0.0.1', 'b'));
      await settled();
      const drained = dispatcher.drain();
      expect((await waiting).message.error?.id).toBe('core.stopping');
      await finishNext();
      await Promise.all([running, drained]);
      expect(order).toEqual(['running']);
    });
  });

  it('drains: running requests are answered, later ones get 503', async () => {
    let finish: (() => void) | undefined;
    actions.add(
      defineAction({
        controller: 'demo',
        action: 'slow',
        summary: '',
        routes: [],
        writes: false,
        args: {},
        run: () =>
          new Promise<string>((resolve) => {
            finish = () => resolve('done');
          }),
      }),
    );
    const running = send({ controller: 'demo', action: 'slow' });
    const drained = dispatcher.drain();
    expect((await send({ controller: 'demo', action: 'echo', name: 'n' })).status).toBe(503);
    finish?.();
    expect((await running).result).toBe('done');
    await drained;
  });
});
