import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LockedProcess } from './LockedProcess.js';

const DOCUMENTS = 80;
const PER_BULK = 40;
const DOCUMENT_CHARACTERS = 1_000_000;
const KEY_BYTES = 64 * 1_048_576;
const CLIENTS = 24;

describe('answers are bounded in bytes', () => {
  let server: LockedProcess;
  const open: Socket[] = [];
  beforeAll(async () => {
    server = await LockedProcess.open();
    await server.call('PUT', '/large');
    const properties = { text: { type: 'keyword', index: false, doc_values: false } };
    await server.call('PUT', '/large/docs', { properties });
    const text = 'x'.repeat(DOCUMENT_CHARACTERS);
    for (let from = 0; from < DOCUMENTS; from += PER_BULK) {
      const bulkData = Array.from({ length: PER_BULK }, (_, n) => [
        { index: { _id: `d${from + n}` } },
        { text },
      ]).flat();
      const { status } = await server.call('POST', '/large/docs/_bulk?refresh=wait_for', {
        bulkData,
      });
      expect(status).toBe(200);
    }
    const zeros = { offset: KEY_BYTES - 1, value: '\0' };
    expect((await server.call('POST', '/ms/_setrange/zeros', zeros)).status).toBe(200);
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  afterAll(() => server.close());

  const search = (size: number) => ({ query: { match_all: {} }, size });

  it('a search whose result is above 64 MiB is refused with the way out', async () => {
    const { status, error } = await server.call('POST', '/large/docs/_search', search(10_000));
    expect(status).toBe(400);
    expect(error.message).toMatch(/size|scroll/);
    expect(error.message).not.toMatch(/string length/i);
  });

  it('a mGet whose result is above 64 MiB is refused', async () => {
    const ids = Array.from({ length: DOCUMENTS }, (_, n) => `d${n}`);
    const { status } = await server.call('POST', '/large/docs/_mGet', { ids });
    expect(status).toBe(400);
  });

  it('a memory-store value whose JSON is above 64 MiB is refused', async () => {
    const { status } = await server.call('GET', '/ms/_get/zeros');
    expect(status).toBe(400);
  });

  it('a result of 20 MB is answered', async () => {
    const { status, text } = await server.call('POST', '/large/docs/_search', search(20));
    expect([status, text.length > 20 * DOCUMENT_CHARACTERS]).toEqual([200, true]);
  });

  it('of 24 answers of 40 MB that HTTP clients do not read, an address gets its share and 503 for the rest', async () => {
    const { hostname, port } = new URL(server.url);
    const body = JSON.stringify(search(40));
    const statuses = Array.from({ length: CLIENTS }, async () => {
      const socket = connect(Number(port), hostname);
      open.push(socket);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(
        `POST /large/docs/_search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
          `Authorization: Bearer ${server.adminJwt}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      // Node reads no further than its buffer of some kilobytes.
      await once(socket, 'readable');
      return Number(/^HTTP\/1\.1 (\d+)/.exec(String(socket.read(12)))?.[1]);
    });
    const answered = await Promise.all(statuses);
    const taken = answered.filter((status) => status === 200).length;
    expect(answered.filter((status) => status === 503)).toHaveLength(CLIENTS - taken);
    expect(taken).toBeGreaterThan(0);
    // Two thirds of 256 MiB, and what sockets take at once.
    expect(taken).toBeLessThanOrEqual(6);
    expect((await server.call('GET', '/_healthCheck')).status).toBe(200);
  });
});
