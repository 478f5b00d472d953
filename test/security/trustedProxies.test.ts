/*
 * Behind a proxy (SEC-70): without trust all clients are one,
 * and one of them locks the others out; with `http.trustedProxies` each counts by itself. The peer of every request here
 * is 127.0.0.1, as with a proxy on the same machine.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { silentLogger, type JsonObject, type Logger } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { websocket } from '@millrace/protocol-websocket';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { startKernel, type StartedKernel } from '../startKernel.js';

const PASSWORD = 'A-long-one-of-mine';
const PATIENCE = { timeout: 60_000 };
type Headers = Readonly<Record<string, string>>;

interface Line {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

function listingLogger(lines: Line[]): Logger {
  const add = (fields: object, message: string) => lines.push({ fields: { ...fields }, message });
  const logger: Logger = { ...silentLogger, info: add, warn: add, error: add, child: () => logger };
  return logger;
}

describe('behind a proxy', () => {
  let started: StartedKernel;
  const lines: Line[] = [];
  const addresses = new Map<string, string>();
  const open = async (config: JsonObject) => {
    lines.length = 0;
    const plugins = [localAuth(), websocket({ port: 0 }), fallback({ port: 0 })];
    started = await startKernel({ config, plugins, logger: listingLogger(lines) });
    for (const { protocol, url } of await started.kernel.start()) addresses.set(protocol, url);
    const made = await started.ask('POST', '/_createFirstAdmin', {
      _id: 'root',
      password: PASSWORD,
    });
    expect(made.status).toBe(200);
  };
  const logIn = async (password: string, headers: Headers) => {
    const body = { username: 'root', password };
    return (await started.ask('POST', '/_login', body, { ...headers })).status;
  };
  /** Addresses in the log of failed logins. */
  const failures = () =>
    lines.filter(({ message }) => /login/i.test(message)).map(({ fields }) => fields['remoteAddress']);
  afterEach(async () => {
    await started.close();
  });

  it('a client behind a trusted proxy locks no other out', async () => {
    await open({ http: { port: 0, trustedProxies: '127.0.0.1, ::1' } });
    const stranger = { 'x-forwarded-for': '203.0.113.9' };
    for (let attempt = 0; attempt < 10; attempt++) expect(await logIn('wrong', stranger)).toBe(401);
    expect(await logIn(PASSWORD, stranger)).toBe(429);
    // What a client writes into the header itself is not looked at.
    const pretending = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
    expect(await logIn(PASSWORD, pretending)).toBe(429);
    expect(await logIn(PASSWORD, { 'x-forwarded-for': '198.51.100.1' })).toBe(200);
    expect(await logIn(PASSWORD, { forwarded: 'for="[2001:db8::7]:4711"' })).toBe(200);
    expect(new Set(failures())).toContain('203.0.113.9');
  });

  it('IPv6 clients behind a trusted proxy count by network', async () => {
    await open({ http: { port: 0, trustedProxies: ['127.0.0.0/8', '::1'] } });
    const from = (host: number) => ({ 'x-forwarded-for': `2001:db8:1:2::${host}` });
    for (let host = 1; host <= 10; host++) expect(await logIn('wrong', from(host))).toBe(401);
    expect(await logIn(PASSWORD, from(99))).toBe(429);
    expect(await logIn(PASSWORD, { 'x-forwarded-for': '2001:db8:1:3::1' })).toBe(200);
  });

  it('the header of a proxy that is not trusted changes nothing, and the log says so once', async () => {
    await open({});
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await logIn('wrong', { 'x-forwarded-for': `203.0.113.${attempt}` })).toBe(401);
    }
    expect(await logIn(PASSWORD, { 'x-forwarded-for': '198.51.100.1' })).toBe(429);
    const warnings = () => lines.filter(({ message }) => message.includes('http.trustedProxies is empty'));
    // It knows within a second that it is locked.
    const ask = () => started.ask('GET', '/_now', undefined, { 'x-forwarded-for': '203.0.113.1' });
    await expect.poll(async () => (await ask()) && warnings().length, PATIENCE).toBe(1);
    await ask();
    expect(warnings()).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('every client behind it counts as 127.0.0.1') as string,
      }),
    ]);
    expect(String(new Set(failures()).size)).toBe('1');
  });

  it('lasting connections through a trusted proxy have the address of their client too', async () => {
    await open({ http: { port: 0, trustedProxies: ['127.0.0.1'] } });
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const wrong = {
      controller: 'auth',
      action: 'login',
      body: { username: 'root', password: 'x' },
    };
    const socket = new WebSocket(addresses.get('websocket') ?? '', { headers });
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify(wrong));
    await new Promise((resolve) => socket.once('message', resolve));
    socket.terminate();
    for (const transport of ['polling', 'websocket']) {
      const options = { transports: [transport], extraHeaders: headers, forceNew: true };
      const client = io(addresses.get('fallback') ?? '', options);
      await new Promise<void>((resolve) => client.on('connect', resolve));
      await new Promise((resolve) => client.emit('millrace', wrong, resolve));
      client.disconnect();
    }
    expect(failures()).toEqual(['203.0.113.77', '203.0.113.77', '203.0.113.77']);
  });

  it('each client behind a trusted proxy may have as many connections as the limit says', async () => {
    const limits = { maxConnectionsPerAddress: 2 };
    await open({
      http: { port: 0, trustedProxies: ['127.0.0.1'] },
      websocket: limits,
      fallback: limits,
    });
    const webSocket = (client: string) => {
      const headers = { 'x-forwarded-for': client };
      const socket = new WebSocket(addresses.get('websocket') ?? '', { headers });
      return new Promise<string>((resolve) => {
        socket.once('open', () => resolve('open'));
        socket.once('error', (error) => resolve(error.message));
      });
    };
    const polling = (client: string) => {
      const extraHeaders = { 'x-forwarded-for': client };
      const options = {
        transports: ['polling'],
        extraHeaders,
        forceNew: true,
        reconnection: false,
      };
      const socket = io(addresses.get('fallback') ?? '', options);
      return new Promise<string>((resolve) => {
        socket.on('connect', () => resolve('open'));
        socket.on('connect_error', () => resolve('refused'));
      });
    };
    const outcomes: string[] = [];
    for (const client of ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2']) {
      outcomes.push(await webSocket(client), await polling(client));
    }
    const refused = ['Unexpected server response: 503', 'refused'];
    expect(outcomes).toEqual(['open', 'open', 'open', 'open', ...refused, 'open', 'open']);
  });

  it('malformed headers fail no request', async () => {
    await open({ http: { port: 0, trustedProxies: ['127.0.0.1'] } });
    for (const value of ['', ',', ',,,', 'x', '"', 'for=', 'for="', '300.1.1.1', '[::1', '1.1.1.1:99999999']) {
      for (const name of ['forwarded', 'x-forwarded-for']) {
        expect((await started.ask('GET', '/_now', undefined, { [name]: value })).status).toBe(200);
      }
    }
  });

  it('settings that are no addresses are refused in one line', async () => {
    await open({});
    await expect(startKernel({ config: { http: { trustedProxies: 'proxy' } } })).rejects.toThrow(
      /^[^\n]*http\.trustedProxies[^\n]*CIDR[^\n]*$/,
    );
  });
});
