import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { FileContent } from '@millrace/kernel';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

const PART = Buffer.alloc(262_144, 'x');

let server: TestServer | undefined;
afterEach(() => server?.close());

/** A server whose `GET /_now` answers with a file of so many parts. */
async function open(partCount: number, options: { readonly sendTimeoutMs?: number; readonly failsAt?: number } = {}) {
  const { failsAt, ...config } = options;
  const read = { parts: 0, isOpen: false };
  async function* parts() {
    Object.assign(read, { parts: 0, isOpen: true });
    try {
      for (; read.parts < partCount; read.parts++) {
        if (read.parts === failsAt) throw new Error('the disk is broken');
        yield PART;
      }
    } finally {
      read.isOpen = false;
    }
  }
  const opened = await openTestServer(config);
  opened.host.runs.set('server.now', () => new FileContent('application/gzip', 'a.tar.gz', parts));
  server = opened;
  return { opened, read };
}

describe('files of actions', () => {
  it('are sent whole, with their name, and the connection goes on', async () => {
    const { opened } = await open(40);
    for (let turn = 0; turn < 2; turn++) {
      const answer = await fetch(`http://127.0.0.1:${opened.port}/_now`);
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a.tar.gz"');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect((await answer.arrayBuffer()).byteLength).toBe(40 * PART.length);
    }
  });

  it('are read at the pace of the client, and no further once it has left', async () => {
    const { opened, read } = await open(40_000);
    const socket = await opened.dial();
    socket.pause();
    socket.write('GET /_now HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => read.parts).toBeGreaterThan(0);
    await pause(500);
    const before = read.parts;
    await pause(300);
    expect(read.parts).toBe(before);
    // What fits into the buffers of the two sockets, of 10 GB.
    expect(before * PART.length).toBeLessThan(32_000_000);
    socket.destroy();
    await expect.poll(() => read.isOpen).toBe(false);
  });

  it('end with the connection where they can not be read, so that a part is not taken for the whole', async () => {
    const { opened } = await open(40, { failsAt: 10 });
    const answer = await fetch(`http://127.0.0.1:${opened.port}/_now`);
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow();
  });

  it('are closed for a client that takes nothing for http.sendTimeoutMs', async () => {
    const { opened, read } = await open(40_000, { sendTimeoutMs: 200 });
    const socket = await opened.dial();
    socket.pause();
    socket.write('GET /_now HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => read.isOpen).toBe(true);
    await expect.poll(() => read.isOpen, { timeout: 5_000 }).toBe(false);
    socket.destroy();
  });

  it('are not opened by HEAD', async () => {
    const { opened, read } = await open(40);
    const answer = await fetch(`http://127.0.0.1:${opened.port}/_now`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type'), read.parts]).toEqual([200, 'application/gzip', 0]);
  });
});
