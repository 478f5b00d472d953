/*
 * Copies of a collection in two tabs of a real Chromium that share one login, while connections are cut, the network is
 * away, tabs sleep and the server restarts: CHROMIUM names its binary, or /usr/bin/chromium is taken.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { localAuth } from '@millrace/auth-local';
import { silentLogger } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';
import { hasChromium, openChromium } from './openChromium.js';

const AT = { index: 'city', collection: 'stations' };
const CREDENTIALS = { username: 'ada', password: 'correct horse battery' };
const DOCUMENTS = 40;
const FAULTS = 14;

/** A tab that keeps a copy of the red stations. */
const PAGE = `
import { createClient, localStorageStore } from '@millrace/client';
import { realtime } from '@millrace/client/realtime';

// Attempts to connect at once: the pauses grow to 20 s while faults follow each other.
Math.random = () => 0.005;
const count = { renewals: 0, events: 0, replayed: 0, gaps: 0, disordered: 0, errors: [] };
const counting = async (...sent) => {
  const response = await fetch(...sent);
  if (String(sent[0]).endsWith('/refreshToken') && response.ok) count.renewals++;
  return response;
};
const client = createClient(URLS.http, { auth: localStorageStore(), fetch: counting }).with(
  realtime({ url: URLS.websocket }),
);
const stations = client.collection('city', 'stations');
const versions = new Map();
const tokens = [];
client.session.onTokenChange((token) => tokens.push(token));
let subscription;
let last = '';

async function read() {
  for (;;) {
    try {
      await client.actions.index.refresh({ index: 'city' });
      const { hits } = await stations.search({ query: { term: { colour: 'red' } }, size: 1000 });
      versions.clear();
      for (const { id, version } of hits) versions.set(id, version);
      return;
    } catch (error) {
      if (error.isRetryable !== true) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
async function apply(event) {
  count.events++;
  if (event.kind === 'gap') {
    count.gaps++;
    return read();
  }
  if (event.replayed) count.replayed++;
  if (event.cursor !== undefined) {
    if (event.cursor <= last) count.disordered++;
    last = event.cursor;
  }
  if (event.kind === 'changed') versions.set(event.id, event.version);
  else versions.delete(event.id);
}
async function follow() {
  subscription = stations.subscribe({ equals: { colour: 'red' } });
  await subscription.ready;
  await read();
  for await (const event of subscription) await apply(event);
}
Object.assign(globalThis, {
  client, count, tokens,
  start: () => void follow().catch((error) => count.errors.push(String(error))),
  liveness: () => subscription?.status,
  copy: () => [...versions].sort(([a], [b]) => (a < b ? -1 : 1)),
});
// A sleep begins when something runs.
setInterval(() => undefined, 20);
document.title = 'ready';
`;

/** What the page has as `globalThis`. */
interface PageGlobals {
  readonly client: {
    login(strategy: string, credentials: object, options: object): Promise<unknown>;
    readonly session: { token(): Promise<string>; renew(token: string): Promise<string> };
  };
  readonly count: {
    readonly renewals: number;
    readonly replayed: number;
    readonly disordered: number;
    readonly errors: readonly string[];
  };
  readonly tokens: readonly string[];
  start(): void;
  liveness(): string;
  copy(): [string, number][];
}

describe.skipIf(!hasChromium())('the client in tabs under faults', () => {
  let dataDir: string;
  let kernel: Kernel | undefined;
  let jwt: string;
  let pages: Server;
  let browser: Browser;
  let context: BrowserContext;
  let proxy: UnreliableProxy;
  let tabs: [Page, Page];
  let inputs: string[];
  const ports: Record<string, number> = {};
  const problems: string[] = [];

  const startKernel = async () => {
    const { http = 0, websocket: port = 0 } = ports;
    const config = { http: { port: http }, server: { dataDir } };
    const plugins = [localAuth(), websocket({ port, heartbeatMs: 500 })];
    const started = new Kernel({ config, plugins, logger: silentLogger });
    for (const { protocol, url } of await started.start()) ports[protocol] = Number(new URL(url).port);
    kernel = started;
  };
  const stopKernel = async () => {
    const stopping = kernel;
    kernel = undefined;
    await stopping?.stop();
  };
  const run = async (message: object) => kernel?.execute({ ...message, jwt });
  const write = async (_id: string, colour: string) =>
    run({ controller: 'document', action: 'createOrReplace', ...AT, _id, body: { colour } });
  const search = async () => {
    await run({ controller: 'index', action: 'refresh', index: AT.index });
    const body = { query: { term: { colour: 'red' } }, size: 1000, version: true };
    const found = await run({ controller: 'document', action: 'search', ...AT, body });
    const { hits } = found?.result as unknown as {
      readonly hits: readonly { readonly _id: string; readonly _version: number }[];
    };
    return hits.map(({ _id, _version }) => [_id, _version]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  };
  const inPage = <R>(page: Page, read: (globals: PageGlobals) => R) =>
    page.evaluate<Awaited<R>>(`(${read.toString()})(globalThis)`);
  const statuses = () => Promise.all(tabs.map((tab) => inPage(tab, ({ liveness }) => liveness())));
  const renewals = async () => {
    const counts = await Promise.all(tabs.map((tab) => inPage(tab, ({ count }) => count.renewals)));
    return counts.reduce((sum, each) => sum + each, 0);
  };
  /** Puts a tab to sleep: no JavaScript runs. (Chromium doesn't freeze pages without a screen.) */
  const sleep = async (tab: Page) => {
    const session = await context.newCDPSession(tab);
    await session.send('Debugger.enable');
    const hasStopped = new Promise((resolve) => session.once('Debugger.paused', resolve));
    await session.send('Debugger.pause');
    await hasStopped;
    return async () => {
      await session.send('Debugger.resume');
      await session.detach();
    };
  };
  const openPage = async () => {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.waitForFunction("document.title === 'ready'");
    return page;
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-tabs-'));
    await startKernel();
    proxy = new UnreliableProxy(new URL(`http://127.0.0.1:${ports['websocket']}`));
    await proxy.appear();
    const { username, password } = CREDENTIALS;
    const http = `http://127.0.0.1:${ports['http']}`;
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(http + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as { readonly result: { readonly jwt: string } };
    };
    await post('/_createFirstAdmin', { _id: username, password });
    ({ jwt } = (await post('/_login', CREDENTIALS)).result);
    const { outputFiles, metafile } = await build({
      stdin: { contents: PAGE, resolveDir: new URL('..', import.meta.url).pathname },
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      conditions: ['source'],
      define: { URLS: JSON.stringify({ http, websocket: proxy.url.replace('http', 'ws') }) },
    });
    inputs = Object.keys(metafile.inputs);
    const script = outputFiles[0]?.text ?? '';
    pages = createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await openChromium();
    context = await browser.newContext();
    tabs = [await openPage(), await openPage()];
    const [one] = tabs;
    await one.evaluate(async (credentials) => {
      const { client } = globalThis as unknown as PageGlobals;
      await client.login('local', credentials, { expiresIn: '16s' });
    }, CREDENTIALS);
    await write('first', 'red');
    for (const tab of tabs) await inPage(tab, ({ start }) => start());
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await proxy?.vanish();
    await stopKernel();
    await rm(dataDir, { recursive: true, force: true });
    expect(problems).toEqual([]);
  });

  /** Both copies equal a search, once they have a last change. */
  const expectCopies = async (marker: string) => {
    expect((await write(marker, 'red'))?.status).toBe(200);
    for (const tab of tabs) {
      const ids = async () => (await inPage(tab, ({ copy }) => copy())).map(([id]) => id);
      await expect.poll(ids).toContain(marker);
    }
    const expected = await search();
    for (const tab of tabs) {
      expect(await inPage(tab, ({ copy }) => copy())).toEqual(expected);
      const count = await inPage(tab, (globals) => globals.count);
      expect(count).toMatchObject({ disordered: 0, errors: [] });
    }
  };

  it('follows in both tabs, built for browsers without any package', async () => {
    await expect.poll(statuses).toEqual(['live', 'live']);
    await expectCopies('second');
    expect(inputs.filter((file) => file.includes('node_modules'))).toEqual([]);
  });

  it('a tab that slept while another one renewed the token continues with it', async () => {
    const [one, two] = tabs;
    const before = await renewals();
    const wake = await sleep(two);
    await one.evaluate(async () => {
      const { session } = (globalThis as unknown as PageGlobals).client;
      await session.renew(await session.token());
    });
    // The token that the sleeping tab knows is revoked now, and its connection is gone.
    proxy.cut();
    await write('slept-1', 'red');
    await write('slept-1', 'blue');
    await write('slept-2', 'red');
    await wake();
    await expectCopies('slept');
    expect(await renewals()).toBe(before + 1);
    const { tokens, replayed } = await inPage(two, (globals) => ({
      tokens: globals.tokens,
      replayed: globals.count.replayed,
    }));
    expect(tokens).not.toContain(null);
    expect(replayed).toBeGreaterThan(0);
  });

  it(`copies equal a fresh search after ${FAULTS} faults, with one renewal for both tabs`, async () => {
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      for (; !isOver; written++) {
        const id = `s-${(written * 7) % DOCUMENTS}`;
        // Between two servers there is none to write to.
        await write(id, written % 3 === 0 ? 'blue' : 'red').catch(() => undefined);
        await pause(3);
      }
    })();
    const faults: (() => Promise<unknown>)[] = [
      async () => proxy.cut(),
      async () => {
        await proxy.vanish();
        await pause(200);
        await proxy.appear();
      },
      async () => {
        // Chromium keeps open WebSockets in this emulation.
        await context.setOffline(true);
        proxy.cut();
        await pause(400);
        await context.setOffline(false);
      },
      async () => {
        const wake = await sleep(tabs[1]);
        await pause(600);
        proxy.cut();
        await pause(600);
        await wake();
      },
      async () => {
        await stopKernel();
        await startKernel();
      },
    ];
    for (let n = 0; n < FAULTS; n++) {
      await pause((n * 37) % 150);
      await faults[n % faults.length]?.();
      if (n % 3 === 0) continue;
      await expect.poll(statuses).toEqual(['live', 'live']);
    }
    // The token is renewed at least once more.
    const before = await renewals();
    await expect.poll(renewals).toBeGreaterThan(before);
    isOver = true;
    await writing;
    await expectCopies('last');
    const seen = await Promise.all(tabs.map((tab) => inPage(tab, ({ tokens }) => tokens)));
    console.log(`${written} writes, ${FAULTS} faults, ${await renewals()} renewals`);
    // One renewal for each new token: the first one comes from the login.
    expect(new Set(seen.flat()).size).toBe((await renewals()) + 1);
    expect(seen.flat()).not.toContain(null);
  }, 300_000);
});
