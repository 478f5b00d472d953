import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

const CHROMIUM = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('pages for browsers', () => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    server = await openTestServer();
    url = `http://127.0.0.1:${server.port}`;
  });
  afterAll(() => server.close());
  const get = (path: string, accept: string, method = 'GET') => fetch(`${url}${path}`, { method, headers: { accept } });

  it('GET / is a page where HTML is accepted, with links to what the server has', async () => {
    const response = await get('/', CHROMIUM);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('vary')).toContain('Accept');
    const page = await response.text();
    expect(page).toContain('href="_serverInfo"');
    // The test server lacks these routes.
    expect(page).not.toContain('href="_map"');
    expect(page).not.toContain('href="_console"');
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; style-src 'sha256-/);
  });

  it.each(['*/*', 'application/json', 'application/json, text/html', 'image/png'])(
    'GET / is JSON where Accept is %s',
    async (accept) => {
      const response = await get('/', accept);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toMatchObject({ controller: 'server', action: 'info' });
    },
  );

  it('shows a Host header as text', async () => {
    const { text } = await server.send('GET', '/', {
      headers: { accept: 'text/html', host: 'a.example' },
    });
    expect(text).toContain('a.example/library/books');
  });

  it('HEAD / has the headers of the page and no body', async () => {
    const response = await get('/', CHROMIUM, 'HEAD');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toBe('');
  });

  it('/favicon.ico is an image that may be cached', async () => {
    const response = await get('/favicon.ico', 'image/*');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(await response.text()).toMatch(/^<svg /);
  });
});
