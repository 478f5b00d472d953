/*
 * The outbox in tabs of a real Chromium: IndexedDB, one tab that sends, an emulated loss of the network, reloads without a
 * network (a service worker has the page). CHROMIUM names its binary, or /usr/bin/chromium is taken.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as ClientModule from '@millrace/client';
import type * as OfflineModule from '@millrace/client/offline';
import { definePlugin } from '@millrace/kernel';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, openChromium } from './openChromium.js';

const PAGE = `
import { createClient } from '@millrace/client';
import { indexedDbOutbox, offline } from '@millrace/client/offline';
globalThis.client = createClient(URL_OF_SERVER).with(offline());
globalThis.notes = client.collection('city', 'notes');
globalThis.indexedDbOutbox = indexedDbOutbox;
await navigator.serviceWorker.register('/worker.js');
await navigator.serviceWorker.ready;
document.title = 'ready';
`;
const WORKER = `
const FILES = ['/', '/page.js'];
addEventListener('install', (event) => event.waitUntil(caches.open('page').then((cache) => cache.addAll(FILES))));
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (FILES.includes(new URL(event.request.url).pathname)) event.respondWith(caches.match(event.request));
});
`;

/** What the page has as `globalThis`. */
interface PageGlobals {
  client: ClientModule.MillraceClient & OfflineModule.OfflineClient;
  notes: OfflineModule.OfflineFeature<{ n?: number; from?: string }>;
  indexedDbOutbox: typeof OfflineModule.indexedDbOutbox;
}

describe.skipIf(!hasChromium())('the outbox in tabs', () => {
  let server: TestKernel;
  let pages: Server;
  let browser: Browser;
  let context: BrowserContext;
  const problems: string[] = [];
  /** What was written, in its order. */
  const executed: string[] = [];
  const observer = definePlugin({
    name: 'observer',
    kernel: '*',
    setup: (host) => {
      host.hook('document.afterWrite', ({ id, after }) => {
        executed.push(`${id}: ${after === null ? 'deleted' : JSON.stringify(after['n'])}`);
      });
    },
  });

  beforeAll(async () => {
    server = await startTestKernel({ plugins: [observer] });
    await server.kernel.execute({ controller: 'index', action: 'create', index: 'city' });
    const { outputFiles } = await build({
      stdin: { contents: PAGE, resolveDir: new URL('..', import.meta.url).pathname },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      conditions: ['source'],
      define: { URL_OF_SERVER: JSON.stringify(server.url) },
    });
    const script = outputFiles[0]?.text ?? '';
    pages = createServer((request, response) => {
      const scripts: Record<string, string> = { '/page.js': script, '/worker.js': WORKER };
      const found = scripts[request.url ?? ''];
      response.setHeader('content-type', found === undefined ? 'text/html' : 'text/javascript');
      response.end(found ?? '<!doctype html><script type="module" src="/page.js"></script>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await server?.close();
    expect(problems).toEqual([]);
  });
  beforeEach(async () => {
    executed.length = 0;
    context = await browser.newContext();
  });
  afterEach(() => context.close());

  async function openPage(): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.waitForFunction("document.title === 'ready'");
    return page;
  }

  /** Creates a document, or changes it. */
  const write = (page: Page, id: string, n: number) =>
    page.evaluate(
      async ([id, n]) => {
        const { offline } = (globalThis as unknown as PageGlobals).notes;
        if (n === 1) await offline.create({ n }, { id });
        else await offline.update(id, { n });
      },
      [id, n] as const,
    );
  /** Ids of the documents with unsent writes and their contents. */
  const unsent = (page: Page) =>
    page.evaluate(() => {
      const list = (globalThis as unknown as PageGlobals).notes.offline.getSnapshot();
      return list.map(({ id, source, state }) => `${id} ${source?.n} ${state}`);
    });
  const locks = (page: Page) =>
    page.evaluate(async () => {
      const { held = [], pending = [] } = await navigator.locks.query();
      return [held.length, pending.length];
    });

  it('writes survive a reload without a network; one tab sends for both, each once', async () => {
    const [one, two] = [await openPage(), await openPage()];
    await context.setOffline(true);
    await write(one, 'a', 1);
    await write(two, 'b', 1);
    await write(two, 'a', 2);
    const all = ['a 2 pending', 'b 1 pending'];
    await expect.poll(() => unsent(one)).toEqual(all);
    await expect.poll(() => unsent(two)).toEqual(all);
    // One has the turn, and the other waits for it.
    await expect.poll(() => locks(one)).toEqual([1, 1]);
    await one.reload();
    await one.waitForFunction("document.title === 'ready'");
    await expect.poll(() => unsent(one)).toEqual(all);
    await write(one, 'a', 3);
    await expect.poll(() => unsent(two)).toEqual(['a 3 pending', 'b 1 pending']);
    await context.setOffline(false);
    await expect.poll(() => unsent(one)).toEqual([]);
    await expect.poll(() => unsent(two)).toEqual([]);
    expect(executed).toEqual(['a: 1', 'b: 1', 'a: 2', 'a: 3']);
    await expect.poll(() => locks(one)).toEqual([0, 0]);
  });

  it('another tab takes over when the one that sends is closed', async () => {
    const [one, two] = [await openPage(), await openPage()];
    await context.setOffline(true);
    await write(one, 'c', 1);
    await expect.poll(() => locks(one)).toEqual([1, 1]);
    await write(one, 'c', 2);
    await expect.poll(() => unsent(two)).toEqual(['c 2 pending']);
    await one.close();
    await context.setOffline(false);
    await expect.poll(() => unsent(two)).toEqual([]);
    expect(executed).toEqual(['c: 1', 'c: 2']);
    // What the closed tab has written is shown as sent.
    const shown = await two.evaluate(() =>
      (globalThis as unknown as PageGlobals).notes.offline
        .overlay<{ id: string; source: object }>([])
        .map(({ id, state }) => `${id} ${state}`),
    );
    expect(shown).toEqual(['c synced']);
  });

  it('a deleted database is opened again', async () => {
    const page = await openPage();
    await write(page, 'd', 1);
    await expect.poll(() => unsent(page)).toEqual([]);
    // A write that runs before the deletion would be deleted too.
    await page.evaluate(async () => {
      for (const { name } of await indexedDB.databases()) {
        await new Promise((resolve, reject) => {
          const deletion = indexedDB.deleteDatabase(name ?? '');
          deletion.onsuccess = resolve;
          deletion.onerror = reject;
        });
      }
    });
    await write(page, 'd', 2);
    await expect.poll(() => executed).toEqual(['d: 1', 'd: 2']);
  });
});
