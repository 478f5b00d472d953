import type { JsonObject } from '@millrace/kernel';
import type { MeasuredServer } from '../MeasuredServer.js';
import { crowd, refusalOf, type Row } from '../Row.js';
import { WebSocketClient } from '../WebSocketClient.js';

const MAX_MEMORY = 64 * 2 ** 20;
const KEY_BYTES = 4_000;
const WIDTH = 50;

/** Connections of a row, closed by its release. */
class Clients {
  private readonly open: WebSocketClient[] = [];

  async connect(server: MeasuredServer): Promise<WebSocketClient> {
    const client = await WebSocketClient.open(server.urls['websocket'] ?? '');
    this.open.push(client);
    return client;
  }

  readonly release = async (): Promise<void> => {
    await Promise.all(this.open.splice(0).map((client) => client.close()));
  };
}

const CONNECTIONS = 20;
const ms = (action: string, fields: JsonObject, jwt: string) => ({
  controller: 'ms',
  action,
  ...fields,
  jwt,
});

const queued = new Clients();
const watching = new Clients();
const blocked = new Clients();

/** Memory store and scrolls. */
export const storeRows: readonly Row[] = [
  {
    name: 'actions queued in transactions of the memory store',
    config: { memoryStore: { maxMemory: MAX_MEMORY } },
    counted: { bytesInAll: MAX_MEMORY },
    open: async (server, count) => {
      const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => queued.connect(server)));
      for (const client of clients) await client.request(ms('multi', {}, server.adminJwt));
      const value = 'v'.repeat(30_000);
      return crowd(count, CONNECTIONS, async (n) => {
        const set = ms('set', { _id: `k${n}`, body: { value } }, server.adminJwt);
        return refusalOf((await clients[n % CONNECTIONS]?.request(set)) ?? { status: 499 });
      });
    },
    release: queued.release,
  },
  {
    name: 'watched keys of the memory store',
    // Their names and 256 bytes each, of the 64 MiB of all transactions; an address gets two thirds of that.
    counted: { bytesEach: KEY_BYTES + 256 },
    maxCount: Math.ceil(((2 / 3) * MAX_MEMORY) / (KEY_BYTES + 256)),
    open: async (server, count) => {
      const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => watching.connect(server)));
      const long = 'k'.repeat(KEY_BYTES);
      return crowd(count, CONNECTIONS, async (n) => {
        const watch = ms('watch', { body: { keys: [`${n}${long}`] } }, server.adminJwt);
        return refusalOf((await clients[n % CONNECTIONS]?.request(watch)) ?? { status: 499 });
      });
    },
    release: watching.release,
  },
  {
    name: 'blocked commands of the memory store',
    config: { websocket: { maxRunningRequests: 20_000 } },
    counted: { bytesEach: 16_384 },
    maxCount: 64,
    open: async (server, count) => {
      const client = await blocked.connect(server);
      let ended = 0;
      let refusal: string | undefined;
      const block = (n: number) => ms('blpop', { _id: `none${n}`, body: { timeout: 30 } }, server.adminJwt);
      for (let n = 0; n < count; n++) {
        void client.request(block(n)).then(({ status }) => {
          ended++;
          refusal ??= String(status);
        });
      }
      await client.request({ controller: 'server', action: 'now' });
      await server.settled();
      return { count: count - ended, ...(refusal !== undefined && { refusal }) };
    },
    release: blocked.release,
  },
  {
    name: 'scrolls',
    counted: { bytesEach: 32_768 },
    maxCount: 500,
    config: { storage: { scrollSweepMs: 1_000 } },
    open: async (server, count) => {
      await server.expect('PUT', '/city/stations/a', { body: { n: 1 } });
      await server.expect('PUT', '/city/stations/b?refresh=wait_for', { body: { n: 2 } });
      return crowd(count, WIDTH, async () =>
        refusalOf(await server.http('POST', '/city/stations/_search?scroll=5m&size=1', { body: {} })),
      );
    },
  },
];
