/*
 * The sign-in of the admin console at providers (OpenID Connect, SAML) that run for real, in a real Chromium, on a server
 * in this process. CHROMIUM names its binary, or /usr/bin/chromium is taken.
 */
import { oauth2Auth } from '@millrace/auth-oauth2';
import { samlAuth } from '@millrace/auth-saml';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../memory/startRedis.js';
import { PROVIDER_CERTIFICATE } from '../strategies/identityProviderKeys.js';
import { openIdentityProvider, type TestIdentityProvider } from '../strategies/openIdentityProvider.js';
import { CLIENT_ID, CLIENT_SECRET, openProvider, type TestProvider } from '../strategies/openProvider.js';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';

describe.skipIf(!hasChromium())('the sign-in of the console at a provider', () => {
  let server: ConsoleServer;
  let provider: TestProvider;
  let identityProvider: TestIdentityProvider;

  const continueWith = ({ page }: ConsolePage, strategy: string) =>
    page.getByRole('button', { name: `Continue with ${strategy}` }).click();
  const signInAtProvider = async (page: Page, who: string) => {
    await page.locator('[name=login]').fill(who);
    await page.locator('[name=password]').fill('whatever');
    await page.locator('[type=submit]').click();
    await page.locator('[type=submit]').click();
  };
  const userOf = ({ page }: ConsolePage) => page.getByTitle('Your account').textContent();
  const opened = (origin: string, options = {}) => server.open({ provider: origin, ...options });

  beforeAll(async () => {
    const [port, providerPort, identityPort] = [await freePort(), await freePort(), await freePort()];
    const publicURL = `http://127.0.0.1:${port}`;
    const redirectURIs = ['company', 'strangers'].map((name) => `${publicURL}/api/1.0/_login/${name}`);
    provider = await openProvider({ port: providerPort, redirectURIs });
    identityProvider = await openIdentityProvider(identityPort);
    const client = { clientID: CLIENT_ID, clientSecret: CLIENT_SECRET, openid: provider.issuer };
    const { entryPoint, entityId: idpIssuer } = identityProvider;
    const university = { entryPoint, idpIssuer, idpCert: PROVIDER_CERTIFICATE, users: { ada: 'admin' } };
    const oauth2 = { company: { ...client, users: { ada: 'admin' } }, strangers: client };
    server = await ConsoleServer.start({
      port,
      plugins: () => [oauth2Auth({ publicURL, providers: oauth2 }), samlAuth({ publicURL, providers: { university } })],
    });
    identityProvider.learn(await server.run<string>('saml.getMetadata', { strategy: 'university' }));
    await server.run('security.createFirstAdmin', { _id: 'admin', body: { password: PASSWORD } });
  });
  afterAll(async () => {
    await server?.stop();
    await provider?.close();
    await identityProvider?.close();
  });

  it('leaves the page for OpenID Connect, and comes back signed in, where it was', async () => {
    const console = await opened(provider.issuer);
    const { page } = console;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await console.show('people/roles');
    await continueWith(console, 'company');
    await signInAtProvider(page, 'ada');
    await page.getByRole('heading', { name: 'People' }).waitFor();
    expect(await userOf(console)).toBe('admin');
    expect(new URL(page.url()).hash).toBe('#/people/roles');
    // Neither a token nor a ticket is in an address, in the history or in a storage.
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).toBe('[{},{},""]');
    expect(requests.filter((url) => /eyJ|returnTicket/.test(url.split('#')[0] ?? ''))).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'People' }).waitFor();
    expect(await userOf(console)).toBe('admin');
    await console.context.close();
  });

  it('comes back from SAML, whose provider posts a form', async () => {
    const origin = new URL(identityProvider.entryPoint).origin;
    const console = await opened(origin);
    const { page } = console;
    await continueWith(console, 'university');
    await page.locator('[name=who]').fill('ada');
    await page.locator('[name=who]').press('Enter');
    await page.locator('[name=SAMLResponse]').waitFor({ state: 'attached' });
    await page.evaluate('document.forms[0].submit()');
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(await userOf(console)).toBe('admin');
    await console.context.close();
  });

  it('explains a login that the provider or the server refuses', async () => {
    const [stranger, cancelling] = [await opened(provider.issuer), await opened(provider.issuer)];
    await continueWith(stranger, 'strangers');
    await signInAtProvider(stranger.page, 'mallory');
    await stranger.page.getByRole('alert').getByText('This server has no user for you.').waitFor();
    await continueWith(cancelling, 'company');
    await cancelling.page.getByRole('link', { name: 'Cancel' }).click();
    await cancelling.page.getByRole('alert').getByText('you have cancelled it').waitFor();
    expect(new URL(cancelling.page.url()).hash).toBe('#/');
    for (const { context } of [stranger, cancelling]) await context.close();
  });

  it('takes no ticket of another tab, browser or link, and none twice', async () => {
    const console = await opened(provider.issuer);
    const { page } = console;
    let address = '';
    page.on('response', (response) => {
      const { location = '' } = response.headers();
      if (location.includes('returnTicket')) address = location;
    });
    await continueWith(console, 'company');
    await signInAtProvider(page, 'ada');
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(address).toMatch(/^\/_console\/#returnTicket=[\w-]+$/);
    for (const other of [await opened('none'), await opened('none')]) {
      await other.page.goto(new URL(address, page.url()).href);
      await other.page.reload();
      await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await other.context.close();
    }
    const returnTicket = address.split('=')[1] ?? '';
    const body = { strategy: 'company', returnTicket, returnVerifier: 'x'.repeat(43) };
    expect(await server.answer('auth.login', { body })).toMatchObject({ error: { id: 'auth.wrong_credentials' } });
    await console.context.close();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('is offered by buttons, to keys too: %s, %i px', async (colorScheme, width) => {
    const console = await opened(provider.issuer, { colorScheme, width });
    const { page } = console;
    await page.getByRole('button', { name: 'Continue with university' }).waitFor();
    expect(await page.getByRole('button', { name: /^Continue with/ }).allTextContents()).toEqual(
      ['company', 'strangers', 'university'].map((name) => `Continue with ${name}`),
    );
    expect(await console.findings()).toEqual([]);
    await page.getByRole('button', { name: 'Continue with company' }).press('Enter');
    await page.locator('[name=login]').waitFor();
    await console.context.close();
  });
});
