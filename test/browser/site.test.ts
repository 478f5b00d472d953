/*
 * The documentation site, built and opened in a real Chromium: CHROMIUM names its binary, or /usr/bin/chromium is taken. A dead
 * link fails the build. An error of a script or a request to another origin fails the file.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { findingsOn } from './findingsOn.js';
import { hasChromium, openChromium } from './openChromium.js';

const root = new URL('../../', import.meta.url);
const site = new URL('docs/site/dist/', root);
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};
// The build takes half a minute on an idle machine.
const LONG_MS = 600_000;

function serveSite(): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    const path = pathname.replace(/\/$/, '/index.html');
    readFile(new URL(`.${path}`, site)).then(
      (content) => response.setHeader('content-type', MEDIA_TYPES[extname(path)] ?? 'text/plain').end(content),
      () => response.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
}

describe.skipIf(!hasChromium())('the documentation site', () => {
  let server: Server;
  let url = '';
  let browser: Browser;
  const problems: string[] = [];

  const open = async (path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => problems.push(`${path}: ${message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) problems.push(`${path}: requests ${request.url()}`);
    });
    page.on('response', (response) => {
      if (!response.ok()) problems.push(`${path}: ${response.status()} ${response.url()}`);
    });
    await page.goto(`${url}${path}`);
    return page;
  };
  const text = (path: string) => readFile(new URL(path, site), 'utf8');

  beforeAll(async () => {
    const script = fileURLToPath(new URL('scripts/buildSite.mjs', root));
    // With Vitest's own value Vue would make a development build.
    const { NODE_ENV: _, ...env } = process.env;
    await promisify(execFile)(process.execPath, [script], { env, maxBuffer: 64 * 1024 * 1024 });
    server = serveSite();
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await openChromium();
  }, LONG_MS);
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    expect(problems).toEqual([]);
  });

  it('has a landing page with a picture, three doors and five facts, and the version in the bar', async () => {
    const page = await open('/');
    await page.getByRole('heading', { name: 'A realtime backend in one process' }).waitFor();
    for (const name of ['Build a page', 'Run a server', 'Extend it'])
      await page.getByRole('heading', { name }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(5);
    expect(await page.getByRole('img', { name: 'The chat example in two windows' }).count()).toBe(1);
    const manifest = await readFile(new URL('packages/server/package.json', root), 'utf8');
    const { version } = JSON.parse(manifest) as { readonly version: string };
    await page.getByRole('link', { name: `v${version}` }).waitFor();
    await page.getByRole('link', { name: 'Quick start with the client' }).click();
    await page.getByRole('heading', { name: 'Quick start with the client' }).waitFor();
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)(
    'has a clip that can be stopped, %s, in place of the picture',
    async (colorScheme) => {
      const page = await open('/', { colorScheme });
      const picture = page.getByRole('img', { name: 'The chat example in two windows' });
      const source = () => picture.getAttribute('src');
      await page.getByRole('button', { name: 'Stop the clip' }).waitFor();
      expect(await source()).toMatch(new RegExp(`chat-${colorScheme}.*\\.webp$`));
      const size = await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
      expect(size).toBe(1_500);
      await page.getByRole('button', { name: 'Stop the clip' }).click();
      await expect.poll(source).toMatch(/\.png$/);
      await page.getByRole('button', { name: 'Play the clip' }).click();
      await expect.poll(source).toMatch(/\.webp$/);
      await page.context().close();
    },
  );

  it('does not move for readers who prefer less motion, until they play the clip', async () => {
    const page = await open('/', { reducedMotion: 'reduce' });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.reload({ waitUntil: 'networkidle' });
    await page.getByRole('button', { name: 'Play the clip' }).waitFor();
    expect(requested.filter((each) => each.endsWith('.webp'))).toEqual([]);
    expect(requested.filter((each) => each.endsWith('.png'))).not.toEqual([]);
    await page.getByRole('button', { name: 'Play the clip' }).click();
    await page.getByRole('button', { name: 'Stop the clip' }).waitFor();
    await page.context().close();
  });

  it('has a side bar for guides, one for the reference with the packages, and one for the rest', async () => {
    const linksOf = async (path: string) => {
      const page = await open(path);
      const links = await page.locator('.VPSidebar a').allTextContents();
      await page.context().close();
      return links.map((link) => link.trim());
    };
    const guides = await linksOf('/guide/quick-start.html');
    const reference = await linksOf('/packages/client.html');
    const about = await linksOf('/pages.html');
    expect(guides).toEqual(expect.arrayContaining(['Chat in an hour', 'Deploy', 'Writing a plugin']));
    expect(reference).toEqual(expect.arrayContaining(['API explorer', 'Protocols', '@millrace/client']));
    expect(about).toEqual(expect.arrayContaining(['Architecture', 'Changes', 'Decisions']));
    expect([guides, reference, about].map((links) => links.includes('Protocols'))).toEqual([false, true, false]);
    expect([...guides, ...reference, ...about].filter((link) => /^00\d\d/.test(link))).toEqual([]);
  });

  it('finds a page', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('restore drill');
    await page.getByRole('option').first().click();
    await expect.poll(() => page.url()).toMatch(/guide\/(?:backup|runbooks)\.html/);
    await page.context().close();
  });

  it('shows each action in the API explorer: routes, arguments, errors, and calls to copy', async () => {
    const page = await open('/api.html');
    const { components } = JSON.parse(await text('asyncapi.json')) as { components: { messages: object } };
    const count = Object.keys(components.messages).filter((name) => name.endsWith('.request')).length;
    await page.getByText(`${count} of ${count} actions`).waitFor();
    await page.getByRole('searchbox', { name: 'Search actions' }).fill('createOrReplace document');
    await page.getByRole('link', { name: 'createOrReplace', exact: true }).first().click();
    await page.getByRole('heading', { name: 'document.createOrReplace' }).waitFor();
    await page.getByText('PUT /{index}/{collection}/{_id}').first().waitFor();
    await page.getByRole('row', { name: '_id required' }).waitFor();
    await page.getByText('document.not_found').waitFor();
    const copied: string[] = [];
    for (const name of ['TypeScript', 'curl', 'WebSocket']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied').waitFor();
      copied.push(await page.evaluate('navigator.clipboard.readText()'));
    }
    expect(copied[0]).toContain('client.actions.document.createOrReplace({');
    expect(copied[1]).toContain("curl -X PUT 'http://127.0.0.1:7511/library/books/floss'");
    expect(JSON.parse(copied[2] ?? '')).toEqual({
      controller: 'document',
      action: 'createOrReplace',
      index: 'library',
      collection: 'books',
      _id: 'floss',
      body: {},
    });
    // An action without a route, by its address.
    await page.goto(`${url}/api.html#realtime.follow`);
    await page.getByText('By message only').waitFor();
    await page.context().close();
  });

  it('shows a program and the same as a command as tabs, the program first', async () => {
    const page = await open('/guide/backup.html');
    const tabs = page.locator('.vp-code-group').first();
    expect(await tabs.locator('label').allTextContents()).toEqual(['TypeScript', 'curl']);
    await tabs.locator('.language-ts', { hasText: 'client.actions.server.backup' }).waitFor();
    await tabs.locator('label', { hasText: 'curl' }).click();
    await tabs.locator('.language-sh', { hasText: 'http://127.0.0.1:7511/_backup' }).waitFor();
    await page.context().close();
  });

  it('shows the picture of the theme that a reader chooses', async () => {
    const page = await open('/guide/console.html', { colorScheme: 'light', viewport: { width: 1440, height: 900 } });
    const shown = async () => {
      const picture = page.locator('.vp-doc img:visible');
      expect(await picture.count()).toBe(1);
      return picture.getAttribute('src');
    };
    expect(await shown()).toContain('console-light');
    await page.locator('.VPNavBar .VPSwitchAppearance').first().click();
    await page.locator('html.dark').waitFor();
    expect(await shown()).toContain('console-dark');
    await page.context().close();
  });

  it('has every page as Markdown, and llms.txt', async () => {
    const list = await text('llms.txt');
    const links = [...list.matchAll(/\]\(\/([^)]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(90);
    for (const part of ['/guide/client.md)', '/packages/react.', '/openapi.json)']) expect(list).toContain(part);
    for (const path of links) expect(await text(path), path).not.toBe('');
    expect(await text('guide/client.md')).toMatch(/^# /);
    expect(await text('llms-full.txt')).toContain('# Quick start with the client');
  });

  it.each(['light', 'dark'] as const)('can be used by everyone, wide and narrow, %s', async (colorScheme) => {
    const paths = ['/', '/api.html#document.search', '/guide/backup.html', '/pages.html', '/packages/client.html'];
    for (const width of [390, 1440]) {
      for (const path of paths) {
        const page = await open(path, { colorScheme, viewport: { width, height: 900 } });
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        expect(await findingsOn(page), `${path} at ${width}`).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0);
        await page.context().close();
      }
    }
  });
});
