/*
 * Too many connections (PROTO-44): the descriptors of the process are used up by idle connections,
 * all from one address, and the server goes on serving new ones.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { inTemporaryFolder, runMillrace, type MillraceProcess } from '../process/runMillrace.js';

const DESCRIPTORS = 160;
const FLOOD = 240;
const ANSWER_LIMIT_MS = 5_000;
const PATIENCE = { timeout: 60_000 };

describe('idle connections', () => {
  const sockets: Socket[] = [];
  const servers: MillraceProcess[] = [];
  const run = (folder: string, args: readonly string[], maxDescriptors?: number) => {
    const server = runMillrace(folder, args, {}, maxDescriptors === undefined ? {} : { maxDescriptors });
    servers.push(server);
    return server;
  };
  const flood = async (port: number, count: number, first = ''): Promise<Socket[]> => {
    const opened = Array.from({ length: count }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      if (first !== '') socket.write(first);
      return socket;
    });
    sockets.push(...opened);
    await Promise.all(opened.map((socket) => once(socket, 'connect').catch(() => undefined)));
    return opened;
  };
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.signal('SIGKILL');
  });
  const portOf = (output: string, protocol: string): number => {
    const found = new RegExp(`listens on \\w+://[^ ]*:(\\d+) \\(${protocol}\\)`).exec(output)?.[1];
    if (found === undefined) throw new Error(`${protocol} doesn't listen: ${output}`);
    return Number(found);
  };
  const opens = async (url: string): Promise<boolean> => {
    const socket = new WebSocket(url);
    socket.on('error', () => undefined);
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const isOpen = await once(socket, 'open', { signal }).then(
      () => true,
      () => false,
    );
    socket.terminate();
    return isOpen;
  };

  it('do not keep new ones out when they use up the descriptors of the process', async () => {
    await inTemporaryFolder(async (folder) => {
      const server = run(folder, ['--http.port', '0'], DESCRIPTORS);
      const url = await server.listening;
      await expect.poll(() => server.output(), PATIENCE).toContain('(mqtt)');
      const now = async () => {
        const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
        // A new connection each time: a kept one is idle, and may be closed while this is sent.
        const headers = { connection: 'close' };
        return (await fetch(`${url}/_now`, { signal, headers })).status;
      };
      const ports = ['http', 'websocket', 'fallback', 'mqtt'].map((protocol) => portOf(server.output(), protocol));
      for (const port of ports) {
        await flood(port, FLOOD, port === ports[0] ? 'GET /_now HTTP/1.1\r\n' : '');
        expect(await now()).toBe(200);
        expect(await opens(`ws://127.0.0.1:${ports[1]}`)).toBe(true);
      }
      expect(server.output()).toContain('ulimit -n');
      server.signal('SIGTERM');
      expect(await server.ended).toBe(0);
    });
  });

  it('are closed first where http.maxConnections is reached', async () => {
    await inTemporaryFolder(async (folder) => {
      const server = run(folder, ['--http.port', '0', '--http.maxConnections', '10']);
      const url = new URL(await server.listening);
      const opened = await flood(Number(url.port), 30);
      const answers = await Promise.all(
        Array.from({ length: 3 }, async () => (await fetch(new URL('/_now', url))).status),
      );
      expect(answers).toEqual([200, 200, 200]);
      await expect.poll(() => opened.filter(({ closed }) => closed).length, PATIENCE).toBeGreaterThanOrEqual(20);
      expect(server.output()).toContain('http.maxConnections');
      server.signal('SIGTERM');
      expect(await server.ended).toBe(0);
    });
  });
});
