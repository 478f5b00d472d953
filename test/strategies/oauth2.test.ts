/*
 * The two steps of a login at a provider (SEC-63, SEC-64, SEC-65) over every protocol, against a real OpenID Connect provider:
 * its pages are opened, its forms filled in, its redirections followed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Logger, ResponseMessage } from '@millrace/kernel';
import { oauth2Auth } from '@millrace/auth-oauth2';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { websocket } from '@millrace/protocol-websocket';
import { freePort } from '../memory/startRedis.js';
import { CONNECT } from './connectClients.js';
import { CLIENT_ID, CLIENT_SECRET, logInAtProvider, openProvider, type TestProvider } from './openProvider.js';
import { openServer, type LoginServer } from './openServer.js';
import { TestBrowser } from './TestBrowser.js';

interface StepOne {
  readonly headers: { readonly Location: string; readonly 'Content-Length': string };
  readonly statusCode: number;
  readonly state: string;
  readonly stateSecret?: string;
}

interface LoggedIn {
  readonly _id: string;
  readonly jwt: string;
}

let server: LoginServer;
let provider: TestProvider;
const logged: string[] = [];

beforeAll(async () => {
  const [port, providerPort] = [await freePort(), await freePort()];
  const callback = (name: string) => `http://127.0.0.1:${port}/api/1.0/_login/${name}`;
  provider = await openProvider({
    port: providerPort,
    redirectURIs: ['open', 'closed', 'plain'].map(callback),
  });
  const client = { clientID: CLIENT_ID, clientSecret: CLIENT_SECRET };
  const openId = { ...client, openid: provider.issuer, scope: 'profile email' };
  const config = {
    oauth2: {
      publicURL: `http://127.0.0.1:${port}`,
      providers: {
        open: {
          ...openId,
          createUser: true,
          attributeMap: { fullName: 'name', city: 'address.locality', nothing: 'absent' },
        },
        closed: { ...openId, users: { bob: 'root', nobody: 'none' } },
        plain: {
          ...client,
          authorizationURL: `${provider.issuer}/auth`,
          tokenURL: `${provider.issuer}/token`,
          profileURL: `${provider.issuer}/me`,
          scope: ['openid', 'profile'],
          identifierAttribute: 'sub',
          createUser: true,
        },
      },
    },
    websocket: { port: 0 },
    fallback: { port: 0 },
    mqtt: { port: 0 },
  };
  const plugins = [oauth2Auth(), websocket(), fallback(), mqtt()];
  server = await openServer({ port, plugins, config, logger: recorder() });
});

afterAll(async () => {
  await server?.close();
  await provider?.close();
});

function recorder(): Logger {
  const keep = (...parts: readonly unknown[]) => {
    const shown = parts.map((part) => (part instanceof Error ? String(part.stack) : part));
    logged.push(JSON.stringify(shown, (_, value: unknown) => (value instanceof Error ? { ...value, text: String(value.stack), cause: value.cause } : value)));
  };
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => logger };
  return logger;
} // prettier-ignore

const isCallback = (url: string) => url.startsWith(server.url);
const codeOf = (url: string) => new URL(url).searchParams.get('code') ?? '';

/** A login in a browser, from the server and back to it. */
async function logIn(strategy: string, who: string, browser = new TestBrowser()) {
  const page = await logInAtProvider(browser, `${server.url}/_login/${strategy}`, who);
  return { page, body: JSON.parse(page.text) as ResponseMessage };
}

async function loggedInAs(strategy: string, who: string): Promise<LoggedIn> {
  const { body } = await logIn(strategy, who);
  expect(body).toMatchObject({ status: 200, error: null });
  return body.result as JsonObject & LoggedIn;
}

/** Step one over HTTP in a browser, and the login at the provider: the callback is not opened. */
async function comeBack(strategy: string, who = 'ada') {
  const browser = new TestBrowser();
  const { url } = await logInAtProvider(browser, `${server.url}/_login/${strategy}`, who, isCallback);
  return { browser, url };
}

async function idOf(answer: Promise<{ readonly text: string }>): Promise<string> {
  const { error, status } = JSON.parse((await answer).text) as ResponseMessage;
  return `${status} ${error?.id ?? 'no error'}`;
}

describe('OAuth2 over HTTP in a browser', () => {
  it('step one is a real redirection to the provider, with the envelope, a state and a PKCE challenge', async () => {
    const answer = await fetch(`${server.url}/_login/open`, { redirect: 'manual' });
    const body = (await answer.json()) as ResponseMessage;
    const result = body.result as unknown as StepOne;
    expect(answer.status).toBe(302);
    expect(body).toMatchObject({ status: 302, error: null, controller: 'auth', action: 'login' });
    expect(answer.headers.get('location')).toBe(result.headers.Location);
    expect(result).toMatchObject({ statusCode: 302, headers: { 'Content-Length': '0' } });
    expect(result.stateSecret).toBeUndefined();
    const location = new URL(result.headers.Location);
    expect(location.origin).toBe(provider.issuer);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: expect.stringMatching(/\/api\/1\.0\/_login\/open$/) as string,
      scope: 'openid profile email',
      state: result.state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^millrace-login-[\w-]{22}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(JSON.stringify(body)).not.toContain(/=([\w-]{43});/.exec(cookie)?.[1]);
  });

  it('step two logs in, makes a user once, and finds it ever after', async () => {
    const first = await loggedInAs('open', 'ada');
    const again = await loggedInAs('open', 'ada');
    expect(again._id).toBe(first._id);
    expect((await loggedInAs('open', 'bob'))._id).not.toBe(first._id);
    const me = await server.ask('GET', '/users/_me', undefined, { authorization: `Bearer ${again.jwt}` });
    const { _id, _source } = me.body.result as { _id: string; _source: JsonObject };
    expect(_id).toBe(first._id);
    expect(_source).toMatchObject({ profileIds: ['default'], fullName: 'Ada Lovelace', city: 'London' });
    expect(Object.keys(_source)).not.toContain('nothing');
    expect(JSON.stringify(_source)).not.toContain('ada@example.org');
  });

  it('knows a plain OAuth2 provider by its addresses, and its identities are its own', async () => {
    const plain = await loggedInAs('plain', 'ada');
    expect((await loggedInAs('plain', 'ada'))._id).toBe(plain._id);
    expect((await loggedInAs('open', 'ada'))._id).not.toBe(plain._id);
  });

  it('denies whom it does not know where users are not made', async () => {
    const before = await server.asAdmin('POST', '/users/_search', {});
    const { body } = await logIn('closed', 'ada');
    expect(body).toMatchObject({ status: 401, error: { id: 'auth.wrong_credentials' } });
    expect((await server.asAdmin('POST', '/users/_search', {}))['total']).toBe(before['total']);
  });

  it('lets in whom the configuration names, as the user that is there', async () => {
    expect((await loggedInAs('closed', 'bob'))._id).toBe('root');
    const { body } = await logIn('closed', 'nobody');
    expect(body).toMatchObject({ status: 401, error: { id: 'auth.wrong_credentials' } });
  });

  it('makes one user of first logins at once', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => loggedInAs('open', 'carl')));
    expect(new Set(all.map(({ _id }) => _id)).size).toBe(1);
  });

  it('holds two logins in one browser apart', async () => {
    const browser = new TestBrowser();
    const start = async () => (await browser.send(`${server.url}/_login/open`, 'GET')).headers.get('location') ?? '';
    const [one, two] = [await start(), await start()];
    const first = await logInAtProvider(browser, one, 'ada', isCallback);
    const second = await logInAtProvider(browser, two, 'ada', isCallback);
    expect((await browser.open(first.url)).status).toBe(200);
    expect((await browser.open(second.url)).status).toBe(200);
  });

  it('refuses a callback without the cookie, in another browser, and takes it in the right one', async () => {
    const { browser, url } = await comeBack('open');
    const elsewhere = new TestBrowser();
    await elsewhere.open(`${server.url}/_login/open`, (next) => next.startsWith(provider.issuer));
    expect(await idOf(elsewhere.open(url))).toBe('401 auth.login_state_refused');
    expect(await idOf(new TestBrowser().open(url))).toBe('401 auth.login_state_refused');
    expect((await browser.open(url)).status).toBe(200);
  });

  it('refuses a state that has been used', async () => {
    const { browser, url } = await comeBack('open');
    expect((await browser.open(url)).status).toBe(200);
    expect(await idOf(browser.open(url))).toBe('401 auth.login_state_refused');
  });

  it.each([
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['an unknown state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['a huge state', (url: URL) => url.searchParams.set('state', 'x'.repeat(8_000))],
    ['the state of another strategy', (url: URL) => (url.pathname = '/_login/plain')],
  ])('refuses %s', async (_, change) => {
    const { browser, url } = await comeBack('open');
    const changed = new URL(url);
    change(changed);
    expect(await idOf(browser.open(changed.href))).toBe('401 auth.login_state_refused');
  });

  it('refuses the secret of a state in an address: links must not log anybody in', async () => {
    const client = await CONNECT['websocket']?.(server);
    const begun = await client?.request({ controller: 'auth', action: 'login', body: { strategy: 'open' } });
    client?.close();
    const { headers, state, stateSecret } = begun?.result as unknown as StepOne;
    const page = await logInAtProvider(new TestBrowser(), headers.Location, 'ada', isCallback);
    const link = `${page.url}&stateSecret=${stateSecret}`;
    expect(await idOf(new TestBrowser().open(link))).toBe('401 auth.login_state_refused');
    const posted = await server.ask('POST', '/_login/open', { code: codeOf(page.url), state, stateSecret });
    expect(posted.status).toBe(200);
  });

  it('tells what the provider says against a code, and a denial', async () => {
    const wrong = await comeBack('open');
    const forged = new URL(wrong.url);
    forged.searchParams.set('code', 'forged');
    expect(await idOf(wrong.browser.open(forged.href))).toBe('401 auth.provider_denied');
    const denied = await comeBack('open');
    const { searchParams } = new URL(denied.url);
    const address = `${server.url}/_login/open?error=access_denied&state=${searchParams.get('state')}`;
    const answer = await denied.browser.open(address);
    expect(JSON.parse(answer.text)).toMatchObject({
      status: 401,
      error: { id: 'auth.provider_denied', message: expect.stringContaining('access_denied') as string },
    });
    expect(await idOf(denied.browser.open(denied.url))).toBe('401 auth.login_state_refused');
  });

  it('refuses another issuer than the one that was asked', async () => {
    const { browser, url } = await comeBack('open');
    const changed = new URL(url);
    changed.searchParams.set('iss', 'https://evil.example');
    expect(await idOf(browser.open(changed.href))).toBe('401 auth.identity_refused');
  });

  it.each([
    ['a code that is no text', { code: 5, state: 'x' }],
    ['a state that is no text', { code: 'x', state: { $ne: null } }],
    ['a secret that is a list', { code: 'x', state: 'x', stateSecret: ['x'] }],
    ['an empty code', { code: '', state: 'x' }],
  ])('answers 400 to %s', async (_, body) => {
    const answer = await server.ask('POST', '/_login/open', body);
    expect(answer.body).toMatchObject({ status: 400, error: { id: 'api.invalid_argument' } });
  });

  it.each(['redirect_uri', 'callbackURL', 'redirect', 'next', 'RelayState', 'scope', 'nonce', 'client_id'])(
    'leads nowhere else by a parameter %s or by the Host header',
    async (name) => {
      const evil = 'https://evil.example/';
      const address = `${server.url}/_login/open?${name}=${encodeURIComponent(evil)}`;
      const answer = await fetch(address, { redirect: 'manual', headers: { 'x-forwarded-host': 'evil.example' } });
      const location = answer.headers.get('location') ?? '';
      expect(location).toMatch(new RegExp(`^${provider.issuer}/auth\\?`));
      expect(location).not.toContain('evil');
    },
  );

  it('takes no form: that is for SAML alone', async () => {
    const answer = await fetch(`${server.url}/_login/open`, {
      method: 'POST',
      body: new URLSearchParams({ code: 'x' }),
    });
    expect(answer.status).toBe(415);
  });
});

describe.each(Object.keys(CONNECT))('OAuth2 over %s', (protocol) => {
  const login = (body: object) => ({ controller: 'auth', action: 'login', body });
  const connect = async () => {
    const client = await CONNECT[protocol]?.(server);
    if (client === undefined) throw new Error(protocol);
    return client;
  };
  /** Step one, and the login at the provider. */
  const begin = async () => {
    const client = await connect();
    const message = await client.request(login({ strategy: 'open' }));
    const result = message.result as unknown as StepOne;
    const page = await logInAtProvider(new TestBrowser(), result.headers.Location, 'ada', isCallback);
    return { client, message, result, code: codeOf(page.url) };
  };

  it('gives the address as a result, and takes the code alone on the same connection, once', async () => {
    const { client, message, result, code } = await begin();
    expect(message).toMatchObject({ status: 302, error: null, result: { statusCode: 302 } });
    expect(result.state).not.toBe(result.stateSecret);
    const done = await client.request(login({ strategy: 'open', code }));
    expect(done).toMatchObject({ status: 200, error: null });
    const { _id } = done.result as JsonObject & LoggedIn;
    expect(_id).toBe((await loggedInAs('open', 'ada'))._id);
    const again = await client.request(login({ strategy: 'open', code }));
    expect(again.error?.id).toBe('auth.login_state_refused');
    client.close();
  });

  it('takes state and secret on another connection, and not the code alone or a part of them', async () => {
    const { client, result, code } = await begin();
    client.close();
    const other = await connect();
    const { state, stateSecret } = result;
    for (const part of [{}, { state }, { stateSecret }, { state, stateSecret: 'x'.repeat(43) }]) {
      const refused = await other.request(login({ strategy: 'open', code, ...part }));
      expect(refused.error?.id).toBe('auth.login_state_refused');
    }
    const done = await other.request(login({ strategy: 'open', code, state, stateSecret }));
    expect(done).toMatchObject({ status: 200, error: null });
    other.close();
  });

  it('believes no cookie of a message', async () => {
    const browser = new TestBrowser();
    const first = await browser.send(`${server.url}/_login/open`, 'GET');
    const [cookie = ''] = first.headers.getSetCookie();
    const page = await logInAtProvider(browser, first.headers.get('location') ?? '', 'ada', isCallback);
    const client = await connect();
    const sent = { code: codeOf(page.url), state: new URL(page.url).searchParams.get('state') };
    const message = { ...login({ strategy: 'open', ...sent }), headers: { cookie: cookie.split(';')[0] } };
    expect((await client.request(message)).error?.id).toBe('auth.login_state_refused');
    client.close();
  });
});

describe('OAuth2 of a program', () => {
  it('takes state and secret', async () => {
    const login = (body: object) =>
      server.kernel.execute({ controller: 'auth', action: 'login', body: { strategy: 'open', ...body } });
    const { result } = await login({});
    const { state, stateSecret, headers } = result as unknown as StepOne;
    const page = await logInAtProvider(new TestBrowser(), headers.Location, 'ada', isCallback);
    expect((await login({ code: codeOf(page.url) })).error?.id).toBe('auth.login_state_refused');
    expect((await login({ code: codeOf(page.url), state, stateSecret })).status).toBe(200);
  });
});

describe('OAuth2 and secrets', () => {
  it('lists strategies, and never shows the secret', async () => {
    const { body } = await server.ask('GET', '/strategies');
    expect(body.result).toEqual(['closed', 'local', 'open', 'plain']);
    const shown = [await server.asAdmin('GET', '/_getConfig'), await server.asAdmin('GET', '/_serverInfo'), logged].map(
      (each) => JSON.stringify(each),
    );
    expect(shown[0]).toContain('"providers":"[redacted]"');
    for (const each of shown) expect(each).not.toContain(CLIENT_SECRET);
    expect(logged.join()).not.toMatch(/[?&"](code|state|stateSecret|verifier)[="]/);
  });

  it('answers 503 while the provider hangs, and logs in again once it answers', async () => {
    const { browser, url } = await comeBack('plain');
    provider.hang(true);
    expect(await idOf(browser.open(url))).toBe('503 auth.provider_unavailable');
    provider.hang(false);
    await loggedInAs('plain', 'ada');
  });
});
