/*
 * The client and the hooks in a real Chromium, with an emulated loss of the network and a restart of the server.
 * CHROMIUM names its binary, or /usr/bin/chromium is taken.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { hasChromium, openChromium } from './openChromium.js';

/** A page with all hooks, in StrictMode; `#hide` unmounts and mounts them. */
const PAGE = `
import { createClient } from '@millrace/client';
import { follow } from '@millrace/client/follow';
import { realtime } from '@millrace/client/realtime';
import { useConnection, useDocument, useFollow, usePresence, useSearch, useSubscription } from '@millrace/react';
import { createElement as h, StrictMode, useState, version } from 'react';
import { createRoot } from 'react-dom/client';

const client = createClient(URLS.http).with(realtime({ url: URLS.websocket })).with(follow());
const events = [];

function Stations() {
  // Another object at each render: the hooks go by what it names.
  const stations = client.collection('city', 'stations');
  const one = useDocument(stations, 's-1');
  const few = useSearch(stations, { query: { range: { bikes: { lt: 5 } } }, sort: [{ bikes: 'asc' }] });
  const most = useFollow(stations, { sort: [{ bikes: 'desc' }], size: 2 });
  const here = usePresence(stations, { exists: 'page' });
  const [count, setCount] = useState(0);
  const status = useSubscription(stations, {}, (event) => {
    events.push(event.kind + ' ' + (event.id ?? ''));
    setCount(count + 1);
  });
  return h('div', null,
    h('p', { id: 'one' }, one.data === null ? 'absent' : String(one.data?.source.bikes)),
    h('p', { id: 'few' }, (few.data?.hits ?? []).map(({ id }) => id).join(' ')),
    h('p', { id: 'most' }, (most.data?.hits ?? []).map(({ id }) => id).join(' ') + ' of ' + most.data?.total),
    h('p', { id: 'here' }, String(here.data?.total)),
    h('p', { id: 'status' }, [one.status, few.status, status, most.status, here.status].join(' ')),
    h('p', { id: 'events' }, events.join(', ')));
}

function App() {
  const [isShown, show] = useState(true);
  return h('main', null,
    h('p', { id: 'version' }, version),
    h('p', { id: 'connection' }, useConnection(client)),
    h('button', { id: 'hide', onClick: () => show(!isShown) }),
    isShown && h(Stations));
}
createRoot(document.querySelector('#root')).render(h(StrictMode, null, h(App)));
`;

/** Versions of React, and the names under which the older one is installed. */
const REACTS: readonly [string, Record<string, string>][] = [
  ['19', {}],
  ['18', { react: 'react-18', 'react-dom': 'react-dom-18' }],
];

describe.skipIf(!hasChromium()).each(REACTS)('a page with the hooks in React %s', (version, alias) => {
  let dataDir: string;
  let kernel: Kernel;
  let pages: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const ports: Record<string, number> = {};
  const problems: string[] = [];

  const startKernel = async () => {
    const { http = 0, websocket: port = 0 } = ports;
    const config = { http: { port: http }, server: { dataDir } };
    kernel = new Kernel({ config, plugins: [websocket({ port })], logger: silentLogger });
    for (const { protocol, url } of await kernel.start()) ports[protocol] = Number(new URL(url).port);
  }; // prettier-ignore
  const write = async (_id: string, bikes: number) => {
    const fields = { index: 'city', collection: 'stations', _id, body: { bikes } };
    const { status } = await kernel.execute({ controller: 'document', action: 'createOrReplace', ...fields });
    expect(status).toBe(200);
  };
  const text = (id: string) => page.locator(`#${id}`).textContent();
  const roomCount = async () => {
    const { result } = await kernel.execute({ controller: 'realtime', action: 'list' });
    const { city } = result as { readonly city?: { readonly stations: object } };
    return Object.keys(city?.stations ?? {}).length;
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-page-'));
    await startKernel();
    await write('s-1', 1);
    const urls = {
      http: `http://127.0.0.1:${ports['http']}`,
      websocket: `ws://127.0.0.1:${ports['websocket']}`,
    };
    const folder = new URL('..', import.meta.url).pathname;
    const { outputFiles } = await build({
      stdin: { contents: PAGE, resolveDir: folder },
      alias,
      absWorkingDir: folder,
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      conditions: ['source'],
      define: { URLS: JSON.stringify(urls), 'process.env.NODE_ENV': '"development"' },
    });
    const script = outputFiles[0]?.text ?? '';
    pages = createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript
          ? script
          : '<!doctype html><body><div id="root"></div></body><script type="module" src="/page.js"></script>',
      );
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await openChromium();
    context = await browser.newContext();
    page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // Refused connections are part of the test.
      if (message.type() === 'error' && !/ERR_|WebSocket/.test(message.text())) problems.push(message.text());
    });
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}`);
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await kernel?.stop();
    await rm(dataDir, { recursive: true, force: true });
    expect(problems).toEqual([]);
  });

  it('shows the data, and each change', async () => {
    await expect.poll(() => text('status')).toBe('live live live live live');
    expect(await text('connection')).toBe('open');
    expect(await text('version')).toMatch(new RegExp(`^${version}\\.`));
    expect(await text('one')).toBe('1');
    expect(await text('few')).toBe('s-1');
    expect(await text('most')).toBe('s-1 of 1');
    expect(await text('here')).toBe('1');
    await write('s-1', 3);
    await write('s-2', 2);
    await expect.poll(() => text('one')).toBe('3');
    await expect.poll(() => text('few')).toBe('s-2 s-1');
    await expect.poll(() => text('most')).toBe('s-1 s-2 of 2');
    await expect.poll(() => text('events')).toBe('changed s-1, changed s-2');
    await kernel.execute({
      controller: 'document',
      action: 'delete',
      index: 'city',
      collection: 'stations',
      _id: 's-1',
    });
    await expect.poll(() => text('one')).toBe('absent');
    await expect.poll(() => text('few')).toBe('s-2');
    await expect.poll(() => text('most')).toBe('s-2 of 1');
  });

  it('subscribes once in StrictMode, and keeps views that are mounted again', async () => {
    // Those of the document, of presence, of the followed search, and one for all else.
    expect(await roomCount()).toBe(4);
    await page.locator('#hide').click();
    await page.locator('#hide').click();
    expect(await text('few')).toBe('s-2');
    await expect.poll(() => text('status')).toBe('live live live live live');
    expect(await roomCount()).toBe(4);
  });

  it('shows what it missed while the network was away', async () => {
    await context.setOffline(true);
    // Chromium keeps open WebSockets in this emulation: the server ends them.
    await kernel.stop();
    await expect.poll(() => text('connection')).not.toBe('open');
    expect(await text('status')).toBe('resuming resuming resuming resuming resuming');
    await startKernel();
    await write('s-1', 4);
    await write('s-3', 1);
    await context.setOffline(false);
    await expect.poll(() => text('status')).toBe('live live live live live');
    expect(await text('one')).toBe('4');
    await expect.poll(() => text('few')).toBe('s-3 s-2 s-1');
    await expect.poll(() => text('most')).toBe('s-1 s-2 of 3');
    await expect.poll(() => text('events')).toMatch(/changed s-1, changed s-3$/);
  });

  it('shows what it missed over a restart of the server', async () => {
    await kernel.stop();
    await startKernel();
    await write('s-4', 0);
    await expect.poll(() => text('few')).toBe('s-4 s-3 s-2 s-1');
    await expect.poll(() => text('status')).toBe('live live live live live');
  });

  it('ends its subscriptions when no component shows them', async () => {
    await page.locator('#hide').click();
    await expect.poll(roomCount).toBe(0);
    await expect.poll(() => text('connection')).toBe('idle');
  });
});
