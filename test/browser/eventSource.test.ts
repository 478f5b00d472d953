/*
 * Streams in a real Chromium: CHROMIUM names its binary, or /usr/bin/chromium is taken. The server restarts under the
 * page, which has to receive every change once and in order.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { silentLogger } from '@millrace/kernel';
import { sse } from '@millrace/protocol-sse';
import { Kernel } from '@millrace/server';
import { hasChromium, openChromium } from './openChromium.js';

const PASSWORD = 'a long password';
const STREAM = '/city/stations/_subscribe?';

/** The page's part: ids in the order of their notifications, and other events. */
interface Seen {
  readonly ids: string[];
  readonly events: string[];
}

/** Runs in the page. */
function subscribe({ stream, jwt }: { readonly stream: string; readonly jwt: string | null }): void {
  const seen: Seen = { ids: [], events: [] };
  Object.assign(window, { seen });
  let last = '';
  const connect = async (): Promise<void> => {
    const query = new URLSearchParams({ filter: '{"exists":{"field":"n"}}' });
    if (jwt !== null) {
      const headers = { Authorization: `Bearer ${jwt}` };
      const answer = await fetch('/_ticket', { method: 'POST', headers });
      const { result } = (await answer.json()) as { readonly result: { readonly ticket: string } };
      query.set('ticket', result.ticket);
      if (last !== '') query.set('cursor', last);
    }
    const source = new EventSource(stream + query.toString());
    for (const name of ['subscribed', 'resumed', 'gap']) {
      source.addEventListener(name, ({ lastEventId }: MessageEvent) => {
        last = lastEventId === '' ? last : lastEventId;
        seen.events.push(name);
      });
    }
    source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
      last = lastEventId;
      seen.ids.push((JSON.parse(data) as { result: { _id: string } }).result._id);
    };
    // Without a ticket, EventSource connects again by itself.
    source.onerror = () => {
      if (jwt === null) return;
      source.close();
      setTimeout(again, 200);
    };
  };
  const again = () => void connect().catch(() => setTimeout(again, 200));
  again();
}

describe.runIf(hasChromium())('EventSource in a browser', () => {
  let folder: string;
  let kernel: Kernel;
  let port = 0;
  let browser: Browser;
  let page: Page;
  let jwt: string | null = null;

  const start = async () => {
    const config = { http: { port }, server: { dataDir: folder } };
    kernel = new Kernel({ config, plugins: [localAuth(), sse()], logger: silentLogger });
    const addresses = await kernel.start();
    port = addresses.find(({ protocol }) => protocol === 'http')?.port ?? 0;
  };
  const write = async (from: number, to: number) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(jwt !== null && { Authorization: `Bearer ${jwt}` }),
    };
    for (let n = from; n <= to; n++) {
      const init = { method: 'PUT', headers, body: JSON.stringify({ n }) };
      expect((await fetch(`http://127.0.0.1:${port}/city/stations/d${n}`, init)).status).toBe(200);
    }
  };
  const seen = () => page.evaluate(() => (window as unknown as { seen: Seen }).seen);
  const until = async (isDone: (now: Seen) => boolean) => {
    while (!isDone(await seen())) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-sse-'));
    await start();
    browser = await openChromium();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser.close();
    await kernel.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const restartUnderThePage = async (first: number) => {
    await page.goto(`http://127.0.0.1:${port}/_now`);
    await page.evaluate(subscribe, { stream: STREAM, jwt });
    await until(({ events }) => events.includes('subscribed'));
    await write(first, first + 4);
    await until(({ ids }) => ids.length === 5);
    await kernel.stop();
    await start();
    await write(first + 5, first + 9);
    await until(({ ids }) => ids.length >= 10);
    const { ids, events } = await seen();
    expect(ids).toEqual(Array.from({ length: 10 }, (_, n) => `d${first + n}`));
    expect(events).not.toContain('gap');
    expect(events).toContain('resumed');
  };

  it('continues by itself after a restart of the server, with nothing lost (SSE-5, SSE-10)', async () => {
    await restartUnderThePage(0);
  }, 120_000);

  it('continues with tickets (SSE-20, SSE-21)', async () => {
    const ask = (fields: object) => kernel.execute({ ...fields });
    await ask({
      controller: 'security',
      action: 'createFirstAdmin',
      _id: 'ada',
      body: { password: PASSWORD },
    });
    const login = {
      controller: 'auth',
      action: 'login',
      body: { username: 'ada', password: PASSWORD },
    };
    jwt = ((await ask(login)).result as { readonly jwt: string }).jwt;
    await restartUnderThePage(100);
  }, 120_000);

  it('continues with the program of the page about server-sent events (SSE-21)', async () => {
    const text = await readFile(new URL('../../docs/reference/sse.md', import.meta.url), 'utf8');
    const [, program = ''] = /```js\n([\s\S]*?)```/.exec(text) ?? [];
    const lend = async (id: string) => {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${jwt}` };
      const init = { method: 'PUT', headers, body: '{"lent": true}' };
      expect((await fetch(`http://127.0.0.1:${port}/library/books/${id}`, init)).status).toBe(200);
    };
    await page.goto(`http://127.0.0.1:${port}/_now`);
    await page.evaluate(`
      window.seen = { ids: [], events: [] };
      const jwt = ${JSON.stringify(jwt)};
      const readAll = () => seen.events.push('read');
      const apply = ({ result }) => seen.ids.push(result._id);
      ${program}`);
    await until(({ events }) => events.includes('read'));
    await lend('floss');
    await until(({ ids }) => ids.length === 1);
    await kernel.stop();
    await start();
    await lend('walden');
    await until(({ ids }) => ids.length >= 2);
    expect(await seen()).toEqual({ ids: ['floss', 'walden'], events: ['read'] });
  }, 120_000);
});
