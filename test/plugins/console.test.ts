import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { adminConsole } from '@millrace/console';
import { afterEach, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../startKernel.js';

const HTML = { accept: 'text/html' };

describe('the plugin of the console', () => {
  let server: StartedKernel;
  const start = async (...options: Parameters<typeof adminConsole>) => {
    server = await startKernel({ plugins: [adminConsole(...options)] });
  };
  afterEach(() => server.close());

  it('serves nothing until it is enabled', async () => {
    await start();
    expect((await server.ask('GET', '/_console/')).status).toBe(404);
    expect((await server.ask('GET', '/', undefined, HTML)).text).not.toContain('_console');
  });

  it('serves its page to the machine itself, with a policy without exceptions', async () => {
    await start({ enabled: true });
    const { status, headers, text } = await server.ask('GET', '/_console/');
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    const script = /src="(main-[A-Z0-9]{8}\.js)"/.exec(text)?.[1] ?? 'no script';
    const file = await server.ask('GET', `/_console/${script}`);
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect((await server.ask('GET', '/', undefined, HTML)).text).toContain('href="_console"');
  });

  it('is refused to clients at other addresses, and to those behind an unknown proxy', async () => {
    await start({ enabled: true, allow: ['10.0.0.0/8'] });
    const { status, body } = await server.ask('GET', '/_console/');
    expect([status, body.error]).toEqual([403, expect.objectContaining({ id: 'security.address_refused' })]);
    await server.close();
    await start({ enabled: true });
    expect((await server.ask('GET', '/_console/', undefined, { forwarded: 'for=10.0.0.1' })).status).toBe(403);
  });

  it('is served in an application that mounts the server', async () => {
    await start({ enabled: true });
    const mount = server.kernel.mount('/api');
    const application = createServer((request, response) => mount.request(request, response));
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const { port } = application.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/api/_console`);
    expect([response.status, response.url]).toEqual([200, `http://127.0.0.1:${port}/api/_console/`]);
    await response.text();
    application.closeAllConnections();
    application.close();
  });
});
