import type { JsonObject } from '@millrace/kernel';
import type { MeasuredServer } from '../MeasuredServer.js';
import { crowd, refusalOf, type Opened, type Row } from '../Row.js';
import { WebSocketClient } from '../WebSocketClient.js';

const WIDTH = 50;
/** All clients have one address here: it gets a quarter of what all may take. */
const ADDRESS_BYTES = 8 * 2 ** 20;
const CONFIG = {
  websocket: { maxRunningRequests: 20_000 },
  server: { maxRunningRequests: 20_000 },
  realtime: {
    maxSubscriptionBytes: 4 * ADDRESS_BYTES,
    maxBytesPerConnection: 2 ** 30,
    maxChannelsPerConnection: 100_000,
  },
};
const AT = { index: 'city', collection: 'stations' };
/** A user may have a hundredth of them. */
const MAX_CLAIMS = 1_000;
const FOLLOW_BYTES = 16 * 2 ** 20;

/** Requests of one WebSocket, whose end releases what they opened. */
class OnWebSocket {
  private readonly clients: WebSocketClient[] = [];

  constructor(
    private readonly fields: (n: number) => JsonObject,
    private readonly prepare: (server: MeasuredServer) => Promise<void> = async () => undefined,
  ) {}

  readonly open = async (server: MeasuredServer, count: number): Promise<Opened> => {
    await this.prepare(server);
    const client = await WebSocketClient.open(server.urls['websocket'] ?? '');
    this.clients.push(client);
    const jwt = server.adminJwt;
    return crowd(count, WIDTH, async (n) =>
      refusalOf(await client.request({ controller: 'realtime', ...AT, jwt, ...this.fields(n) })),
    );
  };

  readonly release = async (): Promise<void> => {
    await Promise.all(this.clients.splice(0).map((client) => client.close()));
  };
}

const subscribe = (body: JsonObject, more: JsonObject = {}) => ({
  action: 'subscribe',
  body,
  ...more,
});

const smallFilters = new OnWebSocket((n) => subscribe({ equals: { n } }));
const mixedFilters = new OnWebSocket((n) =>
  subscribe({
    and: [
      { equals: { line: `line ${n}` } },
      { range: { delay: { gte: n, lt: n + 5 } } },
      { in: { stop: Array.from({ length: 20 }, (_, at) => `stop ${n}-${at}`) } },
    ],
  }),
);
const longFilters = new OnWebSocket((n) =>
  subscribe({ in: { stop: Array.from({ length: 500 }, (_, at) => `stop number ${n}-${at}`) } }),
);
const conditions = new OnWebSocket((n) =>
  subscribe({ or: Array.from({ length: 100 }, (_, at) => ({ equals: { [`f${at}`]: n } })) }),
);
const queries = new OnWebSocket((n) => ({
  action: 'subscribe',
  query: { match: { name: `word${n} other` } },
}));
const queriesOfAllFields = new OnWebSocket(
  (n) => ({ action: 'subscribe', query: { multi_match: { query: `word${n}`, fields: ['*'] } } }),
  async (server) => {
    const fields = Array.from({ length: 200 }, (_, n) => [`text${n}`, { type: 'text' }] as const);
    const body = { properties: Object.fromEntries(fields) };
    await server.expect('PUT', '/city/stations/_mapping', { body });
  },
);
const metadata = new OnWebSocket((n) => subscribe({ equals: { n } }, { metadata: { m: Array(100).fill({ a: n }) } }));

/** Each connection subscribes to one room with all options that make different channels. */
const optionSets: Row = (() => {
  const clients: WebSocketClient[] = [];
  const sets: JsonObject[] = [];
  for (const scope of ['all', 'in', 'out', 'none']) {
    for (const state of ['all', 'done', 'pending']) {
      for (const users of ['all', 'in', 'out', 'none']) sets.push({ scope, state, users });
    }
  }
  return {
    name: 'channels of one room, one for each set of options',
    config: CONFIG,
    counted: { bytesInAll: ADDRESS_BYTES },
    open: async (server, count) => {
      const jwt = server.adminJwt;
      const opening: Promise<WebSocketClient>[] = [];
      const clientOf = (at: number) =>
        (opening[at] ??= WebSocketClient.open(server.urls['websocket'] ?? '').then((client) => {
          clients.push(client);
          return client;
        }));
      return crowd(count, WIDTH, async (n) => {
        const client = await clientOf(Math.floor(n / sets.length));
        const set = sets[n % sets.length] ?? {};
        const fields = {
          controller: 'realtime',
          ...AT,
          jwt,
          ...subscribe({ exists: 'name' }, set),
        };
        return refusalOf(await client.request(fields));
      });
    },
    release: async () => {
      await Promise.all(clients.splice(0).map((client) => client.close()));
    },
  };
})();

/** Each subscription is of another session. */
const ownTokens: Row = (() => {
  const clients: WebSocketClient[] = [];
  return {
    name: 'subscriptions with a token each',
    config: {
      ...CONFIG,
      security: { login: { maxPerMinute: 100_000, burst: 100_000 }, cache: { maxTokens: 10 } },
    },
    counted: { bytesInAll: ADDRESS_BYTES },
    open: async (server, count) => {
      const client = await WebSocketClient.open(server.urls['websocket'] ?? '');
      clients.push(client);
      return crowd(count, WIDTH, async (n) => {
        const jwt = await server.login('root');
        const fields = { controller: 'realtime', ...AT, jwt, ...subscribe({ equals: { n } }) };
        return refusalOf(await client.request(fields));
      });
    },
    release: async () => {
      await Promise.all(clients.splice(0).map((client) => client.close()));
    },
  };
})();

function followsOf(documentCount: number, size: number, text: string): OnWebSocket {
  return new OnWebSocket(
    (n) => ({ action: 'follow', body: { query: { range: { n: { gte: -n } } }, size } }),
    async (server) => {
      const bulkData = Array.from({ length: documentCount }, (_, n) => [
        { index: { _id: `d${n}` } },
        { n, ...(text !== '' && { text: `${n} ${text}` }) },
      ]).flat();
      await server.expect('POST', '/city/stations/_bulk?refresh=wait_for', { body: { bulkData } });
    },
  );
}

const followRow = (name: string, follows: OnWebSocket): Row => ({
  ...onWebSocket(name, follows),
  config: { ...CONFIG, realtime: { follow: { maxBytes: FOLLOW_BYTES } } },
  // One address gets two thirds.
  counted: { bytesInAll: (FOLLOW_BYTES * 2) / 3 },
});

/** Polls that wait for a change; the requests end with their connection. */
const polls: Row = (() => {
  const clients: WebSocketClient[] = [];
  return {
    name: 'polls that wait for a change',
    config: CONFIG,
    counted: { bytesInAll: ADDRESS_BYTES },
    open: async (server, count) => {
      const { cursor = '' } = await server.expect('GET', '/city/stations/_changes');
      const client = await WebSocketClient.open(server.urls['websocket'] ?? '');
      clients.push(client);
      const jwt = server.adminJwt;
      let ended = 0;
      let refusal: string | undefined;
      for (let n = 0; n < count; n++) {
        const filter = {
          or: Array.from({ length: 50 }, (_, at) => ({ equals: { [`f${at}`]: n } })),
        };
        const fields = {
          controller: 'realtime',
          action: 'changes',
          ...AT,
          jwt,
          cursor,
          wait: '60s',
          body: filter,
        };
        void client.request(fields).then(({ status }) => {
          ended++;
          refusal ??= String(status);
        });
        if (n % 1_000 === 999) await client.request({ controller: 'server', action: 'now', jwt });
      }
      await server.settled();
      return { count: count - ended, ...(refusal !== undefined && { refusal }) };
    },
    release: async () => {
      await Promise.all(clients.splice(0).map((client) => client.close()));
    },
  };
})();

/** Read positions in collections that don't exist. */
const inventedCollections: Row = {
  name: 'polls of collections that do not exist',
  // A collection that is polled is recorded for 15 minutes, but only 1,000 of those that are absent (`ChangeRecorder`).
  counted: { bytesInAll: 1_000 * 1_024 },
  open: async (server, count) => {
    const run = Math.random();
    return crowd(count, WIDTH, async (n) => {
      const { status } = await server.http('GET', `/city/invented-${run}-${n}/_changes`);
      return status >= 429 ? String(status) : undefined;
    });
  },
};

/** Names that subscriptions claim at once. */
const names: Row = (() => {
  const clients: WebSocketClient[] = [];
  return {
    name: 'named subscriptions of one user',
    config: CONFIG,
    counted: { bytesEach: 8_192 },
    maxCount: 100,
    open: async (server, count) => {
      const jwt = server.adminJwt;
      const client = await WebSocketClient.open(server.urls['websocket'] ?? '');
      clients.push(client);
      const results = await Promise.all(
        Array.from({ length: Math.ceil(Math.min(count, MAX_CLAIMS) / 50) }, (_, part) => {
          const subscriptions = Array.from({ length: 50 }, (_each, n) => ({
            ...AT,
            body: { equals: { n } },
            name: `n${part}-${n}`,
          }));
          return client.request({
            controller: 'realtime',
            action: 'resume',
            jwt,
            body: { subscriptions },
          });
        }),
      );
      let opened = 0;
      let refusal: string | undefined;
      for (const { status, result } of results) {
        const list = (result as { subscriptions?: { error?: { id: string } | null }[] } | null)?.subscriptions;
        if (list === undefined) refusal ??= String(status);
        for (const { error = null } of list ?? []) {
          if (error === null) opened++;
          else refusal ??= error.id;
        }
      }
      return { count: opened, ...(refusal !== undefined && { refusal }) };
    },
    release: async (server) => {
      await Promise.all(clients.splice(0).map((client) => client.close()));
      const { names: all } = (await server.expect('POST', '/_message/realtime/listNames', {
        body: {},
      })) as { names: { name: string }[] };
      for (const { name } of all) await server.http('POST', '/_message/realtime/deleteName', { body: { name } });
    },
  };
})();

const onWebSocket = (name: string, { open, release }: OnWebSocket): Row => ({
  name,
  config: CONFIG,
  counted: { bytesInAll: ADDRESS_BYTES },
  open,
  release,
});

/** Subscriptions, followed searches and polls. */
export const realtimeRows: readonly Row[] = [
  onWebSocket('subscriptions by a small filter', smallFilters),
  onWebSocket('subscriptions by a filter of 22 values', mixedFilters),
  onWebSocket('subscriptions by a filter of 500 values', longFilters),
  onWebSocket('subscriptions by a filter of 100 conditions', conditions),
  onWebSocket('subscriptions by query', queries),
  onWebSocket('subscriptions by query on all text fields', queriesOfAllFields),
  onWebSocket('subscriptions with metadata', metadata),
  optionSets,
  ownTokens,
  followRow('followed searches', followsOf(50, 20, 'x'.repeat(1_000))),
  followRow('followed searches of short hits', followsOf(500, 200, '')),
  polls,
  inventedCollections,
  names,
];
