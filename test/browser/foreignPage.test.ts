/*
 * A foreign page and an open server in a real Chromium (SEC-4): CHROMIUM names its
 * binary, or /usr/bin/chromium is taken. `evil.example` is mapped to this machine, so that the browser sees a foreign
 * site; its local-network prompts don't interfere, for the page itself comes from loopback.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { fallback } from '@millrace/protocol-fallback';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { hasChromium, openChromium } from './openChromium.js';

/** What a page achieves by each way to reach the server. */
interface Reach {
  /** Status and readable body of `fetch`, or the failure that the page sees. */
  readonly read: string;
  readonly write: string;
  readonly blob: string;
  readonly webSocket: string;
  readonly polling: string;
  readonly socketIoWebSocket: string;
}

interface Targets {
  readonly http: string;
  readonly websocket: string;
  readonly fallback: string;
}

const NOTHING = 'nothing';

/** Runs in the page. */
async function tryEverything(targets: Targets & { readonly who: string }): Promise<Reach> {
  const failure = 'nothing';
  const document = (by: string) => `${targets.http}/library/books/${targets.who}-${by}/_create`;
  const json = '{"title":"Emma"}';
  const attempt = (work: () => Promise<string>) => work().catch(() => failure);
  const within = (start: (done: (outcome: string) => void) => void) =>
    new Promise<string>((resolve) => {
      start(resolve);
      setTimeout(() => resolve(failure), 3_000);
    });
  const { io } = window as unknown as {
    io: (
      url: string,
      options: object,
    ) => {
      on(event: string, run: () => void): void;
      emit(event: string, message: object, acknowledge: (message: { status: number }) => void): void;
      disconnect(): void;
    };
  };
  const bySocketIo = (transport: string) =>
    within((done) => {
      const options = { transports: [transport], forceNew: true, reconnection: false };
      const client = io(targets.fallback, options);
      const request = { controller: 'server', action: 'now' };
      client.on('connect', () =>
        client.emit('millrace', request, ({ status }) => {
          client.disconnect();
          done(String(status));
        }),
      );
      client.on('connect_error', () => done(failure));
    });
  return {
    read: await attempt(async () => {
      const response = await fetch(`${targets.http}/_list`);
      return `${response.status} ${(await response.text()).includes('"hits"')}`;
    }),
    write: await attempt(async () => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(document('fetch'), { method: 'POST', headers, body: json });
      return String(response.status);
    }),
    // No preflight: neither the method nor the absent content type needs one.
    blob: await attempt(async () => {
      const body = new Blob([json]);
      const response = await fetch(document('blob'), { method: 'POST', mode: 'no-cors', body });
      return response.type === 'opaque' ? failure : String(response.status);
    }),
    webSocket: await within((done) => {
      const socket = new WebSocket(targets.websocket);
      socket.onopen = () => socket.send('{"controller":"server","action":"now"}');
      socket.onmessage = ({ data }) => done(String((JSON.parse(String(data)) as { status: number }).status));
      socket.onerror = () => done(failure);
    }),
    polling: await bySocketIo('polling'),
    socketIoWebSocket: await bySocketIo('websocket'),
  };
}

describe.skipIf(!hasChromium())('a page in a browser and an open server', () => {
  let started: StartedKernel;
  let browser: Browser;
  let pages: Server;
  let targets: Targets;

  beforeAll(async () => {
    const plugins = [localAuth(), websocket({ port: 0 }), fallback({ port: 0 })];
    started = await startKernel({ plugins });
    const urls = new Map((await started.kernel.start()).map(({ protocol, url }) => [protocol, url]));
    const url = (protocol: string) => urls.get(protocol) ?? '';
    targets = { http: url('http'), websocket: url('websocket'), fallback: url('fallback') };
    const client = dirname(createRequire(import.meta.url).resolve('socket.io-client/package.json'));
    const script = readFileSync(join(client, 'dist/socket.io.min.js'));
    pages = createServer((request, response) => {
      const isScript = request.url === '/socket.io.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? script : '<!doctype html><script src="/socket.io.js"></script>');
    });
    pages.listen(0, '127.0.0.1');
    await once(pages, 'listening');
    browser = await openChromium('--host-resolver-rules=MAP *.example 127.0.0.1');
  });

  afterAll(async () => {
    await browser?.close();
    pages?.closeAllConnections();
    pages?.close();
    await started?.close();
  });

  const visit = async (host: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(`http://${host}:${(pages.address() as AddressInfo).port}/`);
    return page;
  };
  const documents = async () => {
    const { status, body } = await started.ask('POST', '/library/books/_search', {});
    if (status === 404) return [];
    const { hits } = body.result as unknown as { hits: readonly { _id: string }[] };
    return hits.map(({ _id }) => _id).sort();
  };

  it('of a foreign site, it neither reads nor writes', async () => {
    const page = await visit('evil.example');
    expect(await page.evaluate(tryEverything, { ...targets, who: 'evil' })).toEqual({
      read: NOTHING,
      write: NOTHING,
      blob: NOTHING,
      webSocket: NOTHING,
      polling: NOTHING,
      socketIoWebSocket: NOTHING,
    });
    expect(await documents()).toEqual([]);
  });

  it('of a foreign site, its forms write nothing', async () => {
    for (const enctype of ['text/plain', 'application/x-www-form-urlencoded']) {
      const page = await visit('evil.example');
      const action = `${targets.http}/library/books/evil-form/_create`;
      const answered = page.waitForResponse((response) => response.url() === action);
      await page.evaluate(
        ({ action, enctype }) => {
          const form = document.createElement('form');
          Object.assign(form, { method: 'post', action, enctype, target: '_self' });
          const field = document.createElement('input');
          Object.assign(field, { name: '{"title":"Emma","x":"', value: '"}' });
          form.append(field);
          document.body.append(form);
          form.submit();
        },
        { action, enctype },
      );
      expect((await answered).status()).toBe(403);
      await page.close();
    }
    expect(await documents()).toEqual([]);
  });

  it('of a foreign site that has its name resolve to this machine, it reads nothing', async () => {
    const page = await browser.newPage();
    const { port } = new URL(targets.http);
    const answer = await page.goto(`http://rebind.example:${port}/_list`);
    expect(answer?.status()).toBe(403);
    const status = await page.evaluate(async () => (await fetch('/_list')).status);
    expect(status).toBe(403);
  });

  it('of a foreign site, its links to the server work', async () => {
    const page = await visit('evil.example');
    const address = `${targets.http}/_now`;
    const answered = page.waitForResponse((response) => response.url() === address);
    await page.evaluate((to) => window.location.assign(to), address);
    expect((await answered).status()).toBe(200);
  });

  it.each(['localhost', '127.0.0.1'])('of %s, it reads and writes by every protocol', async (host) => {
    const page = await visit(host);
    expect(await page.evaluate(tryEverything, { ...targets, who: host })).toEqual({
      read: '200 true',
      write: '200',
      // The body has no content type (415), which an opaque answer doesn't show.
      blob: NOTHING,
      webSocket: '200',
      polling: '200',
      socketIoWebSocket: '200',
    });
    expect(await documents()).toContain(`${host}-fetch`);
  });
});
