import { connectAsync } from 'mqtt';
import { io } from 'socket.io-client';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from './runMillrace.js';

const ADMIN = { _id: 'ada', password: 'a-Long-password-1' };

/** The bundle of the command differs from the sources in how it imports packages. */
it('the built command imports each library at its first use', () =>
  inTemporaryFolder(async (folder) => {
    const server = runMillrace(folder, ['--http.port', '0', '--server.dataDir', folder]);
    const http = await server.listening;
    const find = (protocol: string) =>
      new RegExp(`listens on (\\S+) \\(${protocol}\\)`).exec(server.output())?.[1] ?? '';
    // The addresses are printed one after another.
    await expect.poll(() => [find('mqtt'), find('fallback')]).not.toContain('');
    const ask = (path: string, body?: object) =>
      fetch(`${http}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });

    const device = await connectAsync(find('mqtt'), { reconnectPeriod: 0 });
    expect(device.connected).toBe(true);
    await device.endAsync();
    const browser = io(find('fallback'), { forceNew: true, reconnection: false });
    await once(browser as never, 'connect');
    browser.disconnect();
    await ask('/_now');
    const metrics = await ask('/_metrics');
    expect(await metrics.text()).toMatch(/^millrace_request_duration_seconds_count\{protocol="http"\} [1-9]/m);
    expect((await ask('/_createFirstAdmin', ADMIN)).status).toBe(200);
    const { _id: username, password } = ADMIN;
    expect((await ask('/_login/local', { username, password })).status).toBe(200);

    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  }));
