/*
 * The session of the admin console that survives a reload, in a real Chromium, and the requests that an attacker could send.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';
const COOKIE = 'millrace-console';

describe.skipIf(!hasChromium())('the session of the console', () => {
  let server: ConsoleServer;

  const signedIn = async (): Promise<ConsolePage> => {
    const opened = await server.open();
    await opened.signIn('admin', PASSWORD);
    return opened;
  };
  const cookieOf = async ({ context }: ConsolePage) => {
    const cookie = (await context.cookies(`${server.url}/_console/session`)).find(({ name }) => name === COOKIE);
    return cookie?.value ?? '';
  };
  /** As the page sends it, with a cookie. */
  const send = async (cookie: string, headers: Readonly<Record<string, string>> = {}, body = '{}') => {
    const response = await fetch(`${server.url}/_console/session`, {
      method: 'POST',
      headers: {
        cookie: `${COOKIE}=${cookie}`,
        'content-type': 'application/json',
        origin: server.url,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      body,
    });
    const { status, result, error } = (await response.json()) as {
      readonly status: number;
      readonly result: { readonly jwt: string | null; readonly retry?: true } | null;
      readonly error: { readonly id: string } | null;
    };
    return {
      status,
      jwt: result?.jwt,
      retry: result?.retry,
      error: error?.id,
      setCookie: response.headers.get('set-cookie'),
    };
  };
  const isValid = async (token: string) => (await server.run('auth.checkToken', { token }))['valid'];
  const screens = ({ page }: ConsolePage) => page.getByRole('navigation', { name: 'Screens' });
  const signInHeading = ({ page }: ConsolePage) => page.getByRole('heading', { name: 'Sign in' });

  beforeAll(async () => {
    server = await ConsoleServer.start();
    await server.run('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD } });
  });
  afterAll(() => server?.stop());

  it('survives a reload and is shared by tabs, by a cookie that scripts can not read and no other path gets', async () => {
    const first = await signedIn();
    const { page, context } = first;
    await page.reload();
    await screens(first).waitFor();
    const [cookie] = await context.cookies(`${server.url}/_console/session`);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/_console/session', secure: false });
    expect(await page.evaluate('JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])')).toBe(
      '["",{},{}]',
    );
    expect(await context.cookies(`${server.url}/_message/auth/getCurrentUser`)).toEqual([]);
    const tab = await context.newPage();
    await tab.goto(`${server.url}/_console/`);
    await tab.getByRole('navigation', { name: 'Screens' }).waitFor();
    await page.reload();
    await screens(first).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInHeading(first).waitFor();
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await signInHeading(first).waitFor();
    await context.close();
  });

  it('has another cookie after each use; one that was replaced ends the session with its token', async () => {
    const opened = await signedIn();
    const before = await cookieOf(opened);
    await opened.page.reload();
    await screens(opened).waitFor();
    const stolen = await cookieOf(opened);
    expect(stolen).not.toBe(before);
    const thief = await send(stolen);
    expect(thief).toMatchObject({ status: 200, error: undefined });
    const token = thief.jwt ?? '';
    expect(await isValid(token)).toBe(true);
    expect(thief.setCookie).toMatch(
      /^millrace-console=[\w-]{43}\.[\w-]{43}; Max-Age=28800; Path=\/_console\/session; HttpOnly; SameSite=Strict$/,
    );
    // Two replacements ago, so that it is no race of two tabs.
    expect(await send(before)).toMatchObject({ jwt: null, retry: undefined });
    expect(await isValid(token)).toBe(false);
    const next = /^millrace-console=([^;]+)/.exec(thief.setCookie ?? '')?.[1] ?? '';
    expect(await send(next)).toMatchObject({ jwt: null, setCookie: expect.stringContaining('Max-Age=0') as string });
    await opened.page.reload();
    await signInHeading(opened).waitFor();
    await opened.context.close();
  });

  it('gives of two requests with one cookie only one the session', async () => {
    const opened = await signedIn();
    const cookie = await cookieOf(opened);
    const answers = await Promise.all([send(cookie), send(cookie), send(cookie)]);
    expect(answers.filter(({ jwt }) => jwt !== null)).toHaveLength(1);
    expect(answers.filter(({ retry }) => retry === true)).toHaveLength(2);
    await opened.context.close();
  });

  it('is one of 20 of its user at most: a further login ends the oldest', async () => {
    const begun: string[] = [];
    const body = { username: 'admin', password: PASSWORD };
    for (let count = 0; count < 21; count++) {
      const { jwt } = await server.run<{ jwt: string }>('auth.login', { strategy: 'local', body });
      const { setCookie } = await send('', { authorization: `Bearer ${jwt}` });
      begun.push(/^millrace-console=([^;]+)/.exec(setCookie ?? '')?.[1] ?? '');
    }
    const [oldest = '', second = ''] = begun;
    expect(await send(oldest)).toMatchObject({ status: 200, jwt: null });
    expect((await send(second)).jwt).toEqual(expect.any(String));
  });

  it('ends with all tokens of its user, by signing out everywhere', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await one.show('account');
    await one.page.getByRole('button', { name: 'Sign out everywhere…' }).click();
    await one.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await signInHeading(one).waitFor();
    for (const each of [one, other]) {
      expect(await send(await cookieOf(each))).toMatchObject({ status: 200, jwt: null });
      await each.page.reload();
      await signInHeading(each).waitFor();
      await each.context.close();
    }
  });

  it('can not be used by another origin, another site, a form, or another protocol', async () => {
    const opened = await signedIn();
    const cookie = await cookieOf(opened);
    const port = new URL(server.url).port;
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: `http://127.0.0.1:1${port.slice(1)}`, 'sec-fetch-site': 'same-site' },
      { origin: 'http://127.0.0.1:9', 'sec-fetch-site': '' },
      { origin: 'null', 'sec-fetch-site': '' },
      { origin: '', 'sec-fetch-site': 'same-origin' },
    ]) {
      expect(await send(cookie, headers)).toMatchObject({ status: 403, error: 'security.origin_refused' });
    }
    expect((await send(cookie, { 'content-type': 'text/plain' })).status).toBe(415);
    // Refused requests don't use the cookie up.
    await opened.page.reload();
    await screens(opened).waitFor();
    const message = await server.answer('console.openSession', {});
    expect(message).toMatchObject({ status: 403, result: null });
    await opened.context.close();
  });

  it('stays out of reach of a page of another origin in the same browser', async () => {
    const opened = await signedIn();
    const before = await cookieOf(opened);
    let other: Server | undefined;
    try {
      other = createServer(
        (_, response) => void response.setHeader('Content-Type', 'text/html').end('<title>evil</title>'),
      );
      await new Promise<void>((resolve) => void other?.listen(0, '127.0.0.1', resolve));
      const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      await opened.context.unroute('**');
      const page = await opened.context.newPage();
      await page.goto(address);
      const outcome = await page.evaluate(async (target) => {
        const post = (mode: RequestMode, type: string) =>
          fetch(target, { method: 'POST', mode, credentials: 'include', headers: { 'content-type': type }, body: '{}' })
            .then((response) => response.text())
            .catch(() => 'refused');
        return Promise.all([post('cors', 'application/json'), post('no-cors', 'text/plain')]);
      }, `${server.url}/_console/session`);
      expect(outcome).toEqual(['refused', '']);
      expect(await cookieOf(opened)).toBe(before);
    } finally {
      other?.close();
    }
    await opened.page.reload();
    await screens(opened).waitFor();
    await opened.context.close();
  });

  it('is not begun for an API key', async () => {
    const created = await server.run('security.createApiKey', { _id: 'admin', body: { name: 'key' } });
    const opened = await server.open();
    await opened.page.getByRole('button', { name: 'Use a token or an API key' }).click();
    await opened.page.getByLabel('Token', { exact: true }).fill((created as { readonly key: string }).key);
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await screens(opened).waitFor();
    expect(await cookieOf(opened)).toBe('');
    await opened.context.close();
  });
});
