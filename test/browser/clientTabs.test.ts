/*
 * The client in two tabs of a real Chromium that share one login: CHROMIUM names its binary, or /usr/bin/chromium is
 * taken. The pages come from another origin than the server.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localAuth } from '@millrace/auth-local';
import type * as ClientModule from '@millrace/client';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openChromium } from './openChromium.js';

const BUILT = new URL('../../packages/client/dist/', import.meta.url);
const CREDENTIALS = { username: 'ada', password: 'correct horse battery' };

/** What the page has as `globalThis`. */
interface PageGlobals {
  client: ClientModule.MillraceClient;
  tokens: (string | null)[];
}

const pageOf = (url: string) => `<!doctype html><script type="module">
import { createClient, localStorageStore } from '/index.js';
globalThis.tokens = [];
globalThis.client = createClient('${url}', { auth: localStorageStore() });
client.session.onTokenChange((token) => tokens.push(token));
document.title = 'ready';
</script>`;

describe.skipIf(!hasChromium())('the client in two tabs', () => {
  let server: TestKernel;
  let pages: Server;
  let browser: Browser;
  let context: BrowserContext;
  let one: Page;
  let two: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    server = await startTestKernel({ plugins: [localAuth()] });
    const body = { password: CREDENTIALS.password, name: 'Ada' };
    await server.ask('POST', '/users/ada/_createFirstAdmin', body);
    pages = createServer((request, response) => {
      const name = (request.url ?? '/').slice(1);
      if (name === '') {
        response.setHeader('content-type', 'text/html').end(pageOf(server.url));
        return;
      }
      response.setHeader('content-type', 'text/javascript');
      readFile(new URL(name, BUILT)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await openChromium();
    context = await browser.newContext();
    [one, two] = [await openPage(), await openPage()];
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await server?.close();
    expect(problems).toEqual([]);
  });

  async function openPage(): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.waitForFunction("document.title === 'ready'");
    return page;
  }

  const userIn = (page: Page) =>
    page.evaluate(async () => {
      const { client } = globalThis as unknown as PageGlobals;
      return (await client.currentUser())?.id ?? null;
    });
  const tokenIn = (page: Page) => page.evaluate(() => (globalThis as unknown as PageGlobals).client.session.token());

  it('one login holds for both', async () => {
    expect(await userIn(two)).toBeNull();
    await one.evaluate(async (credentials) => {
      await (globalThis as unknown as PageGlobals).client.login('local', credentials);
    }, CREDENTIALS);
    expect([await userIn(one), await userIn(two)]).toEqual(['ada', 'ada']);
  });

  it('one tab renews for both, also after a reload', async () => {
    const first = (await tokenIn(one)) ?? '';
    const renew = (page: Page) =>
      page.evaluate((token) => (globalThis as unknown as PageGlobals).client.session.renew(token), first);
    const [mine, theirs] = await Promise.all([renew(one), renew(two)]);
    expect(mine).toBe(theirs);
    expect(mine).not.toBe(first);
    const used = await Promise.all([tokenIn(one), tokenIn(two)]);
    expect(new Set([mine, ...used]).size).toBe(1);
    await two.reload();
    await two.waitForFunction("document.title === 'ready'");
    expect(await userIn(two)).toBe('ada');
  });

  it('a logout in one tab ends the session of the other', async () => {
    await one.evaluate(() => (globalThis as unknown as PageGlobals).client.logout());
    await two.waitForFunction('tokens.at(-1) === null');
    expect(await userIn(two)).toBeNull();
  });
});
