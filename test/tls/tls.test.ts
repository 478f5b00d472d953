import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import mqttClient from 'mqtt';
import { io } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Logger } from '@millrace/kernel';
import { installedPlugins, Kernel } from '@millrace/server';
import { createCertificate } from './createCertificate.js';

const certificate = createCertificate();
const { cert: ca } = certificate;
const PROTOCOLS = ['http', 'websocket', 'fallback', 'mqtt'] as const;

interface Line {
  readonly level: string;
  readonly message: string;
}

/** A server that speaks TLS on every port. */
class TlsServer {
  readonly lines: Line[] = [];
  readonly ports: Record<string, number> = {};
  readonly urls: string[] = [];
  private kernel: Kernel | undefined;
  private folder = '';

  async start(tls: object, protocols: readonly string[] = PROTOCOLS, http: object = {}): Promise<this> {
    this.folder = await mkdtemp(join(tmpdir(), 'millrace-test-'));
    const note = (level: string) => (_: object, message: string) => void this.lines.push({ level, message });
    const log = { debug: note('debug'), info: note('info'), warn: note('warn') };
    const logger: Logger = { ...log, error: note('error'), child: () => logger };
    this.kernel = new Kernel({
      config: {
        server: { dataDir: this.folder },
        ...Object.fromEntries(
          PROTOCOLS.map((name) => [
            name,
            {
              port: 0,
              ...(protocols.includes(name) ? { tls } : undefined),
              ...(name === 'http' ? http : undefined),
            },
          ]),
        ),
      },
      plugins: await installedPlugins(),
      logger,
    });
    for (const { protocol, port, url } of await this.kernel.start()) {
      this.ports[protocol] = port;
      this.urls.push(url);
    }
    return this;
  }

  /** Sends a request over HTTPS on a new connection. */
  async get(path: string, options: object = {}): Promise<string> {
    const sent = request({
      ...{ host: '127.0.0.1', port: this.ports['http'], path, ca, agent: false },
      ...options,
    }).end();
    const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer>];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return text;
  }

  /** The name in the certificate that the server shows now. */
  async shownName(): Promise<unknown> {
    const socket = await this.connect({});
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  }

  async connect(options: object): Promise<TLSSocket> {
    const port = this.ports['http'] ?? 0;
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    await once(socket, 'secureConnect');
    return socket;
  }

  async close(): Promise<void> {
    await this.kernel?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const now = { controller: 'server', action: 'now', requestId: 'r1' };

describe('TLS on the ports of the server', () => {
  let server = new TlsServer();
  afterEach(() => server.close());
  const start = async (...options: Parameters<TlsServer['start']>) => {
    server = new TlsServer();
    return server.start(...options);
  };

  it('serves HTTP, and server-sent events on it', async () => {
    await start(certificateFiles());
    expect(server.urls).toEqual([
      expect.stringMatching(/^https:/),
      expect.stringMatching(/^wss:/),
      expect.stringMatching(/^https:/),
      expect.stringMatching(/^mqtts:/),
    ]);
    expect(JSON.parse(await server.get('/_now'))).toMatchObject({ status: 200 });
    const stream = request({
      ...{ host: '127.0.0.1', port: server.ports['http'], ca, agent: false },
      ...{ path: '/library/books/_subscribe', headers: { accept: 'text/event-stream' } },
    }).end();
    const [response] = (await once(stream, 'response')) as [AsyncIterable<Buffer>];
    let text = '';
    for await (const chunk of response) {
      text += String(chunk);
      if (text.includes('event: subscribed')) break;
    }
    expect(text).toContain('"status":200');
  });

  it.each([
    ['its port', 'websocket', '/'],
    ['the HTTP port', 'http', '/_ws'],
  ])('serves WebSocket on %s', async (_, protocol, path) => {
    await start(certificateFiles());
    const socket = new WebSocket(`wss://127.0.0.1:${server.ports[protocol]}${path}`, { ca });
    await once(socket, 'open');
    socket.send(JSON.stringify(now));
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(String(answer))).toMatchObject({ status: 200, requestId: 'r1' });
    socket.close();
    await once(socket, 'close');
  });

  it('PROTO-59: answers a request to upgrade to something else as if it had not asked', async () => {
    await start(certificateFiles());
    const headers = { connection: 'upgrade', upgrade: 'h2c' };
    expect(JSON.parse(await server.get('/_now', { headers }))).toMatchObject({ status: 200 });
  });

  it.each(['polling', 'websocket'])('serves socket.io over %s', async (transport) => {
    await start(certificateFiles());
    const url = `https://127.0.0.1:${server.ports['fallback']}`;
    // Long polling of the client takes the authority from an agent alone.
    const options = { ca, transports: [transport], forceNew: true, rejectUnauthorized: true };
    const socket = io(url, { ...options, reconnection: false });
    await new Promise((resolve, reject) => {
      socket.on('connect', () => resolve(undefined)).on('connect_error', reject);
    });
    const answer = await new Promise((resolve) => socket.emit('millrace', now, resolve));
    expect(answer).toMatchObject({ status: 200, requestId: 'r1' });
    socket.disconnect();
  });

  it('serves MQTT', async () => {
    await start(certificateFiles());
    const url = `mqtts://127.0.0.1:${server.ports['mqtt']}`;
    const client = await mqttClient.connectAsync(url, { ca, reconnectPeriod: 0 });
    await client.subscribeAsync(`mqtt.${client.options.clientId}`);
    client.publish('millrace', JSON.stringify(now));
    const payload = await new Promise<Buffer>((resolve) => client.once('message', (_, bytes) => resolve(bytes)));
    expect(JSON.parse(String(payload))).toMatchObject({ status: 200, requestId: 'r1' });
    await client.endAsync();
  });

  it('refuses older versions of TLS than configured, and bytes that are no TLS', async () => {
    await start({ ...certificateFiles(), minVersion: 'TLSv1.3' });
    const old = server.connect({ maxVersion: 'TLSv1.2' });
    await expect(old).rejects.toThrow(/protocol version/);
    const plain = connectTcp(server.ports['http'] ?? 0, '127.0.0.1');
    plain.on('error', () => undefined).write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
    plain.resume();
    await once(plain, 'close');
    expect(await server.get('/livez')).toBe('alive\n');
  });

  it('counts sockets in a handshake: silent ones make room', async () => {
    await start(certificateFiles(), ['http'], { maxConnections: 5 });
    let closed = 0;
    const silent = Array.from({ length: 20 }, () => {
      const socket = connectTcp(server.ports['http'] ?? 0, '127.0.0.1');
      socket.on('error', () => undefined).on('close', () => closed++);
      return socket.resume();
    });
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    await expect.poll(() => closed, { timeout: 60_000 }).toBe(15);
    for (let i = 0; i < 10; i++) expect(await server.get('/livez')).toBe('alive\n');
    for (const socket of silent) socket.destroy();
  });

  it('uses new files without a restart, and keeps the old ones while new ones are broken', async () => {
    const files = createCertificate('first.example');
    await start({ certFile: files.certFile, keyFile: files.keyFile }, ['http']);
    expect(await server.shownName()).toBe('first.example');
    const seen = (text: string) =>
      expect.poll(() => server.lines.some(({ message }) => message.includes(text)), { timeout: 60_000 }).toBe(true);
    writeFileSync(files.certFile, 'broken');
    await seen('TLS keeps the old certificate');
    expect(await server.shownName()).toBe('first.example');
    const second = createCertificate('second.example');
    writeFileSync(files.certFile, second.cert);
    writeFileSync(files.keyFile, second.key);
    await seen('TLS uses the new certificate');
    expect(await server.shownName()).toBe('second.example');
  });
});

describe('a server whose TLS files can not be used', () => {
  it.each([
    [{ certFile: '/absent.pem', keyFile: certificate.keyFile }, /http\.tls\.certFile.*ENOENT/],
    [{ certFile: certificate.certFile }, /http\.tls\.keyFile is missing/],
    [{ keyFile: certificate.keyFile }, /http\.tls\.certFile is missing/],
    [
      { certFile: certificate.certFile, keyFile: createCertificate().keyFile },
      /http\.tls\.certFile and keyFile can't be used: .*mismatch/,
    ],
  ])('does not start with %j', async (tls, message) => {
    const server = new TlsServer();
    await expect(server.start(tls, ['http'])).rejects.toThrow(message);
    await server.close();
  });
});

function certificateFiles() {
  const { certFile, keyFile } = certificate;
  return { certFile, keyFile };
}
