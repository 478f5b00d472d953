import { beforeEach, describe, expect, it } from 'vitest';
import { defineAction } from '../actions/ActionDefinition.js';
import { ActionTable } from '../actions/ActionTable.js';
import { alsoInBody, integer, required, text } from '../actions/Argument.js';
import { silentLogger } from '../contracts/runtime/silentLogger.js';
import { OpenSecurity } from '../contracts/security/OpenSecurity.js';
import { defineErrors } from '../errors/defineErrors.js';
import { Hooks } from '../events/Hooks.js';
import { createRequest, type RequestFields } from '../request/createRequest.js';
import { encodeMessage } from '../request/encodeMessage.js';
import { JsonText } from '../request/JsonText.js';
import type { JsonObject } from '../json/Json.js';
import type { ResponseMessage } from '../request/Response.js';
import { Dispatcher } from './Dispatcher.js';
import { Pipes, type Pipe } from './Pipes.js';
import { RequestGate } from './RequestGate.js';

const errors = defineErrors('test', {
  teapot: { status: 418, message: (p: { what: string }) => `no ${p.what}` },
});
const connection = { id: '1', protocol: 'test', remoteAddress: '' };

describe('Dispatcher', () => {
  let actions: ActionTable;
  let pipes: Pipes;
  let hooks: Hooks;
  let dispatcher: Dispatcher;

  const build = (gate = new RequestGate(100, 1000)) =>
    new Dispatcher({
      actions, pipes, hooks, gate, log: silentLogger, security: new OpenSecurity(),
      internalIndex: '%millrace', exposeStack: false,
    }); // prettier-ignore
  const send = async (fields: RequestFields, target = dispatcher): Promise<ResponseMessage> =>
    (await target.dispatch(createRequest(fields, connection))).message;
  const pipe = (added: Pipe) => pipes.add('guard', added);

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
        controller: 'demo', action: 'fail', summary: '', routes: [], writes: false, args: { how: text() },
        run: ({ args }) => {
          if (args.how === 'registered') throw errors.teapot({ what: 'tea' }, { details: { pot: 1 } });
          throw new Error('secret path /etc/passwd');
        },
      }), // prettier-ignore
    );
    dispatcher = build();
  });

  it('answers with every envelope field and echoes the request (decisions.md section 4)', async () => {
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
      requestId: 'r1', status: 200, error: null, controller: 'demo', action: 'echo', index: 'i', collection: 'c',
      metadata: { m: 1 }, state: 'done', result: { name: 'n', size: null, body: { a: 1 } },
    }); // prettier-ignore
  });

  it('answers a result that is JSON text as if it had been a value, also to pipes and hooks', async () => {
    actions.add(
      defineAction({
        controller: 'demo', action: 'text', summary: '', routes: [], writes: false, args: {},
        run: () => new JsonText('{"a":[1]}'),
      }), // prettier-ignore
    );
    const fields = { controller: 'demo', action: 'text', requestId: 'r' };
    const message = await send(fields);
    expect({ ...message }).toEqual({
      requestId: 'r', status: 200, error: null, controller: 'demo', action: 'text', index: null, collection: null,
      metadata: {}, state: 'done', result: { a: [1] },
    }); // prettier-ignore
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

  it('repeats the token beside a result that is JSON text', async () => {
    actions.add(
      defineAction({
        controller: 'demo', action: 'text', summary: '', routes: [], writes: false, args: {},
        echoesToken: true, ignoresToken: true, run: () => new JsonText('7'),
      }), // prettier-ignore
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
    [
      { controller: 'demo', action: 'echo', name: 'n', index: '%millrace' },
      403,
      'storage.internal_index',
    ],
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
    pipe({ when: 'before', actions: '*', run: () => { throw errors.teapot({ what: 'entry' }); } }); // prettier-ignore
    expect((await send({ controller: 'demo', action: 'echo', name: 'n' })).status).toBe(418);
  });

  it.each([
    ['throws', () => { throw new Error('x'); }, 500, 'core.plugin_failed'],
    ['rejects', () => Promise.reject(new Error('x')), 500, 'core.plugin_failed'],
    ['never ends', () => new Promise<undefined>(() => undefined), 504, 'core.plugin_timeout'],
  ])('a pipe that %s fails that request alone and names the plugin', async (_, run, status, id) => {
    pipe({ when: 'before', actions: 'demo.echo', run });
    const response = await send({ controller: 'demo', action: 'echo', name: 'n' });
    expect(response).toMatchObject({ status, error: { id } });
    expect(response.error?.message).toContain('guard');
    expect((await send({ controller: 'demo', action: 'fail', how: 'registered' })).status).toBe(418);
  }); // prettier-ignore

  it('a hook that throws or rejects is counted and changes nothing', async () => {
    hooks.add('request.ended', 'observer', () => { throw new Error('x'); }); // prettier-ignore
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
        controller: 'demo', action: 'wait', summary: '', routes: [], writes: false, args: { name: required(text()) },
        run: ({ args }) => new Promise<null>((resolve) => { order.push(args.name); release.push(() => resolve(null)); }),
      }), // prettier-ignore
    );
    const small = build(new RequestGate(2, 2));
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

  it('drains: running requests are answered, later ones get 503', async () => {
    let finish: (() => void) | undefined;
    actions.add(
      defineAction({
        controller: 'demo', action: 'slow', summary: '', routes: [], writes: false, args: {},
        run: () => new Promise<string>((resolve) => { finish = () => resolve('done'); }),
      }), // prettier-ignore
    );
    const running = send({ controller: 'demo', action: 'slow' });
    const drained = dispatcher.drain();
    expect((await send({ controller: 'demo', action: 'echo', name: 'n' })).status).toBe(503);
    finish?.();
    expect((await running).result).toBe('done');
    await drained;
  });
});
