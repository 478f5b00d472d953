import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeHost, openTestServer, type TestServer } from './openTestServer.test.support.js';

const SCRIPT = `// ${'a long comment '.repeat(200)}`;

describe('files of plugins (PROTO-35)', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-files-'));
    const page = join(folder, 'page');
    await mkdir(join(page, 'inner'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'outside');
    await writeFile(join(page, 'index.html'), '<!doctype html><title>Shop</title>');
    await writeFile(join(page, 'main-4KX2PQ7A.js'), SCRIPT);
    await writeFile(join(page, 'inner/a b.css'), 'a{}');
    const host = new FakeHost();
    host.files = [
      {
        path: '/_shop',
        folder: pathToFileURL(`${page}/`),
        headers: { 'Content-Security-Policy': "default-src 'self'" },
      },
      { path: '/_near', folder: page, allow: ['10.0.0.0/8'] },
      { path: '/_gone', folder: join(folder, 'gone') },
      { path: '/_screen', folder: page, screen: { title: 'Screen', actions: [] } },
    ];
    server = await openTestServer({}, host);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers, redirect: 'manual' });

  it('answers with the index of the folder, its headers, and an ETag for the next time', async () => {
    const first = await get('/_shop/');
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(first.headers.get('content-security-policy')).toBe("default-src 'self'");
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    expect(first.headers.get('cache-control')).toBe('no-cache');
    expect(await first.text()).toContain('<title>Shop</title>');
    const etag = first.headers.get('etag') ?? '';
    const second = await get('/_shop/', { 'if-none-match': `"other", ${etag}` });
    expect([second.status, await second.text()]).toEqual([304, '']);
    const head = await get('/_shop/', {}, 'HEAD');
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  });

  it('gives a screen of the console another origin, also outside of it (PROTO-36)', async () => {
    const policy = (await get('/_screen/')).headers.get('content-security-policy');
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none';/);
    expect(policy).not.toContain('allow-same-origin');
  });

  it('redirects the path itself, so that relative links are those of the folder', async () => {
    const response = await get('/_shop');
    expect([response.status, response.headers.get('location')]).toEqual([308, '_shop/']);
  });

  it('lets files with a hash in their name be cached for good, and compresses what becomes smaller', async () => {
    const { headers, text } = await server.send('GET', '/_shop/main-4KX2PQ7A.js');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-encoding']).toBeUndefined();
    expect(text).toBe(SCRIPT);
    const compressed = await get('/_shop/main-4KX2PQ7A.js', { 'accept-encoding': 'gzip, br' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(SCRIPT.length / 2);
    expect(await compressed.text()).toBe(SCRIPT);
  });

  it('serves files of inner folders by their encoded names', async () => {
    const response = await get('/_shop/inner/a%20b.css');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  });

  it.each(['/_shop/../secret.txt', '/_shop/%2e%2e/secret.txt', '/_shop/..%2fsecret.txt', '/_shop/nothing.js'])(
    'has no file at %s',
    async (path) => {
      const { status, text } = await server.send('GET', path);
      expect(status).toBe(404);
      expect(text).not.toContain('outside');
    },
  );

  it('leaves other methods to actions', async () => {
    expect((await get('/_shop/', {}, 'POST')).status).toBe(404);
  });

  it('refuses clients at other addresses, and those behind an unknown proxy', async () => {
    const refused = await get('/_near/');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { id: 'security.address_refused' } });
    expect((await get('/_shop/', { 'x-forwarded-for': '10.0.0.1' })).status).toBe(200);
    expect((await get('/_near/', { 'x-forwarded-for': '10.0.0.1' })).status).toBe(403);
  });

  it('answers 500 where the folder is missing, and goes on', async () => {
    expect((await get('/_gone/')).status).toBe(500);
    expect((await get('/_now')).status).toBe(200);
  });

  it('is linked from the start page if it is one of the known pages', async () => {
    const linked = async () => (await (await get('/', { accept: 'text/html' })).text()).includes('href="_console"');
    expect(await linked()).toBe(false);
    const host = new FakeHost();
    host.files = [{ path: '/_console', folder }];
    const other = await openTestServer({}, host);
    const response = await fetch(`http://127.0.0.1:${other.port}/`, { headers: { accept: 'text/html' } });
    expect(await response.text()).toContain('href="_console"');
    await other.close();
  });
});
