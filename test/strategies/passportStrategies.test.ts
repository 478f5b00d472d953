/*
 * Strategies of the passport library that are not ours, each used as docs/guide/strategies.md shows it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Strategy as CustomStrategy } from 'passport-custom';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import { definePlugin, type PassportRequest } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { CONNECT } from './connectClients.js';
import { openServer, PASSWORD, type LoginServer } from './openServer.js';

const userIdByToken = new Map([['a-token-of-ada', 'ada']]);

/** Tokens that something else gives out. */
const bearer = definePlugin({
  name: 'auth-bearer',
  kernel: '^0.1.0',
  setup: (host) =>
    host.strategy({
      name: 'bearer',
      passport: new BearerStrategy((token, done) => done(null, userIdByToken.get(token) ?? false)),
    }),
});

/** A riddle, whose parameters are in the body. */
const riddle = definePlugin({
  name: 'auth-riddle',
  kernel: '^0.1.0',
  setup: (host) =>
    host.strategy({
      name: 'riddle',
      passport: new CustomStrategy((request, done) => {
        const { body } = request as unknown as PassportRequest;
        if (body['answer'] === 'explode') throw new Error('a secret of the plugin');
        done(null, body['answer'] === 42 ? { userId: 'ada' } : undefined);
      }),
    }),
});

/** Keys in a separate header, which the strategy has to declare. */
const apiKey = definePlugin({
  name: 'auth-api-key',
  kernel: '^0.1.0',
  setup: (host) => {
    const seen = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
      headers['x-api-key'] === 'a-key-of-ada' && headers['x-other'] === undefined;
    host.strategy({
      name: 'api-key',
      headers: ['x-api-key'],
      passport: new CustomStrategy((request, done) => {
        done(null, seen(request as unknown as PassportRequest) ? { userId: 'ada' } : undefined);
      }),
    });
    host.strategy({
      name: 'verified-key',
      headers: ['x-api-key'],
      verify: (_, attempt) => (seen(attempt) ? { userId: 'ada' } : null),
    });
    host.strategy({
      name: 'undeclared-key',
      verify: (_, attempt) => (seen(attempt) ? { userId: 'ada' } : null),
    });
  },
});

let server: LoginServer;
beforeAll(async () => {
  const config = { websocket: { port: 0 } };
  server = await openServer({ port: 0, plugins: [bearer, riddle, apiKey, websocket()], config });
  await server.asAdmin('POST', '/users/ada/_create', { profileIds: ['default'], password: PASSWORD });
});
afterAll(() => server?.close());

const logIn = (strategy: string, body: object, headers: Record<string, string> = {}) =>
  server.ask('POST', `/_login/${strategy}`, body, headers);

describe('headers of a strategy', () => {
  const headers = { 'X-Api-Key': 'a-key-of-ada', 'X-Other': 'not declared' };

  it.each(['api-key', 'verified-key'])('%s sees the header that it declares, and no other', async (name) => {
    expect((await logIn(name, {}, headers)).status).toBe(200);
    expect((await logIn(name, {}, { 'X-Api-Key': 'wrong' })).status).toBe(401);
    expect((await logIn(name, {})).status).toBe(401);
  });

  it('a strategy that declares none sees none', async () => {
    expect((await logIn('undeclared-key', {}, headers)).status).toBe(401);
  });
});

describe('passport-http-bearer', () => {
  it('logs in by a token in the body, or in the header', async () => {
    const inBody = await logIn('bearer', { access_token: 'a-token-of-ada' });
    const inHeader = await logIn('bearer', {}, { authorization: 'Bearer a-token-of-ada' });
    for (const { status, body } of [inBody, inHeader]) {
      expect([status, (body.result as { _id: string })._id]).toEqual([200, 'ada']);
    }
  });

  it('gives tokens of this server, which open what the user may do', async () => {
    const { jwt } = (await logIn('bearer', { access_token: 'a-token-of-ada' })).body.result as { jwt: string };
    const me = await server.ask('GET', '/users/_me', undefined, { authorization: `Bearer ${jwt}` });
    expect(me.body.result).toMatchObject({ _id: 'ada' });
  });

  it.each([{}, { access_token: 'another' }, { access_token: 5 }, { access_token: '__proto__' }])(
    'refuses %j',
    async (body) => {
      expect((await logIn('bearer', body)).body).toMatchObject({
        status: 401,
        error: { id: 'auth.wrong_credentials' },
      });
    },
  );
});

describe('passport-custom', () => {
  it('logs in over every protocol', async () => {
    expect((await logIn('riddle', { answer: 42 })).status).toBe(200);
    const client = await CONNECT['websocket']?.(server);
    const body = { strategy: 'riddle', answer: 42 };
    const answer = await client?.request({ controller: 'auth', action: 'login', body });
    expect(answer).toMatchObject({ status: 200, result: { _id: 'ada' } });
    client?.close();
  });

  it('refuses what the strategy refuses, and keeps its failures to itself', async () => {
    expect((await logIn('riddle', { answer: 41 })).body.error).toMatchObject({
      id: 'auth.wrong_credentials',
    });
    const failed = await logIn('riddle', { answer: 'explode' });
    expect(failed.body).toMatchObject({ status: 500, error: { id: 'core.plugin_failed' } });
    expect(failed.text).not.toContain('a secret of the plugin');
  });
});

describe('strategies of others', () => {
  it('are in the list next to ours', async () => {
    expect((await server.ask('GET', '/strategies')).body.result).toEqual([
      'api-key',
      'bearer',
      'local',
      'riddle',
      'undeclared-key',
      'verified-key',
    ]);
  });
});
