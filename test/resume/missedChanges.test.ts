import { connectAsync, type IClientOptions } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { sse } from '@millrace/protocol-sse';
import { websocket } from '@millrace/protocol-websocket';
import { hasElasticsearch, NODE, removeIndexes, testConfig } from '../storage/openElasticsearch.js';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { connectFallback } from '../wire/clients/connectFallback.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import { EventReader } from '../wire/clients/EventReader.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';

const RED = { equals: { colour: 'red' } };
const DOCUMENTS = 400;
/** The most changes of a collection that are replayed one by one (RESUME-12). */
const MOST = 10_000;
const PASSWORD = 'Long-enough-pass-1';

interface Place {
  readonly index: string;
  readonly collection: string;
}

interface Notification {
  readonly action: string;
  readonly cursor: string;
  readonly result: { readonly _id: string; readonly _version: number; readonly count?: number };
}

/** Subscribes to the red documents of a collection, is away, and comes back for what it has missed. */
type Absence = (at: Place, write: () => Promise<void>) => Promise<readonly Notification[]>;

const PREFIX = testConfig().prefix;
const ELASTICSEARCH = { engine: 'elasticsearch', elasticsearch: { node: NODE, prefix: PREFIX } };

const ENGINES = hasElasticsearch() ? ['SQLite', 'Elasticsearch'] : ['SQLite'];

describe.each(ENGINES)('all missed changes on %s are replayed, in order (RESUME-10, RESUME-11, LOG-16)', (engine) => {
  const config: JsonObject = engine === 'SQLite' ? {} : { storage: ELASTICSEARCH };
  let server: StartedKernel;
  const urls = new Map<string, string>();

  beforeAll(async () => {
    const plugins = [localAuth(), websocket(), fallback(), mqtt(), sse()];
    const ports = { websocket: { port: 0 }, fallback: { port: 0 }, mqtt: { port: 0 } };
    server = await startKernel({ plugins, config: { ...ports, ...config } });
    const addresses = await server.kernel.start();
    for (const { protocol, url } of addresses) urls.set(protocol, url);
    const user = { profileIds: ['default'], password: PASSWORD };
    await execute({ controller: 'security', action: 'createUser', _id: 'ada', body: user });
  });
  afterAll(async () => {
    await server.close();
    if (engine !== 'SQLite') await removeIndexes(PREFIX);
  });

  const execute = async (fields: object) => {
    const { error } = await server.kernel.execute({ ...fields });
    expect(error).toBeNull();
  };

  /** Writes so many changes that match the filter, and as many that don't if they are replayed together. */
  const write = async (at: Place, count: number) => {
    const others = count * 2 <= MOST;
    for (let round = 0; round < count / DOCUMENTS; round++) {
      const documents = Array.from({ length: DOCUMENTS }, (_, n) => [
        { _id: `d${n}`, body: { colour: 'red', round } },
        ...(others ? [{ _id: `other${n}`, body: { colour: 'blue', round } }] : []),
      ]);
      const body = { documents: documents.flat() };
      await execute({ controller: 'document', action: 'mCreateOrReplace', ...at, body });
    }
  };

  const overMessages = (protocol: string, connect: (url: string) => Promise<MessageClient>): Absence => {
    const subscribe = async (at: Place, fields: object) => {
      const client = await connect(urls.get(protocol) ?? '');
      const asked = { controller: 'realtime', action: 'subscribe', ...at, body: RED, ...fields };
      const { result } = await client.request(asked);
      return { client, result: result as { channel: string; cursor: string; resumed: boolean } };
    };
    return async (at, writeAll) => {
      const first = await subscribe(at, { mode: 'auto' });
      first.client.close();
      await first.client.closed;
      await writeAll();
      const { client, result } = await subscribe(at, { cursor: first.result.cursor });
      expect(result.resumed).toBe(true);
      await expect.poll(() => client.everything.at(-1)).toContain('"action":"resumed"');
      client.close();
      return heardOn(client, result.channel);
    };
  };

  const overSse: Absence = async (at, writeAll) => {
    const filter = encodeURIComponent(JSON.stringify(RED));
    const url = `${server.url}/${at.index}/${at.collection}/_subscribe?filter=${filter}`;
    const first = await EventReader.open(url);
    await first.until('subscribed');
    first.close();
    await writeAll();
    const second = await EventReader.open(url, { headers: { 'Last-Event-ID': first.lastId } });
    const [resumed] = await second.until('resumed');
    second.close();
    return [...second.data('message'), resumed] as unknown as readonly Notification[];
  };

  const overPolls: Absence = async (at, writeAll) => {
    const path = `/${at.index}/${at.collection}/_changes`;
    const poll = async (query: string) => {
      const { status, body } = await server.ask('POST', `${path}${query}`, RED);
      expect(status).toBe(200);
      return body.result as { changes: Notification[]; cursor: string; upToDate: boolean };
    };
    let { cursor } = await poll('');
    await writeAll();
    const all: Notification[] = [];
    for (let isWhole = false; !isWhole;) {
      const { changes, upToDate, ...next } = await poll(`?cursor=${cursor}`);
      all.push(...changes);
      cursor = next.cursor;
      isWhole = upToDate;
    }
    return all;
  };

  const overSessions: Absence = async (at, writeAll) => {
    const clientId = at.collection;
    const options: IClientOptions = {
      clientId,
      clean: false,
      reconnectPeriod: 0,
      username: 'ada',
      password: PASSWORD,
    };
    const received: Notification[] = [];
    let channel = '';
    const open = async () => {
      const socket = await connectAsync(urls.get('mqtt') ?? '', options, false);
      socket.on('message', (topic, payload) => {
        const message = JSON.parse(payload.toString()) as Notification & { result: { channel?: string } };
        if (topic === `mqtt.${clientId}`) channel = message.result.channel ?? '';
        else received.push(message);
      });
      return socket;
    }; // prettier-ignore
    const first = await open();
    await first.subscribeAsync(`mqtt.${clientId}`, { qos: 1 });
    const asked = { controller: 'realtime', action: 'subscribe', ...at, body: RED };
    await first.publishAsync('millrace', JSON.stringify(asked));
    await expect.poll(() => channel).not.toBe('');
    await first.subscribeAsync(channel, { qos: 1 });
    await first.endAsync();
    await writeAll();
    received.length = 0;
    const second = await open();
    await expect.poll(() => received.at(-1)?.action).toBe('resumed');
    await second.endAsync(true);
    return received;
  };

  const TRANSPORTS: readonly [string, Absence][] = [
    ['websocket', overMessages('websocket', connectWebsocket)],
    ['socketio', overMessages('fallback', connectFallback)],
    ['sse', overSse],
    ['polls', overPolls],
    ['mqtt', overSessions],
  ];

  it.each(TRANSPORTS.flatMap(([name, absence]) => [DOCUMENTS, MOST].map((count) => [count, name, absence] as const)))(
    '%d over %s',
    async (count, name, absence) => {
      const at = { index: 'missed', collection: `${name}-${count}` };
      await execute({ controller: 'collection', action: 'create', ...at, body: {} });
      const received = await absence(at, () => write(at, count));
      const changes = received.filter(({ action }) => action !== 'resumed');
      const expected = Array.from({ length: count }, (_, n) => [`d${n % DOCUMENTS}`, 1 + Math.floor(n / DOCUMENTS)]);
      expect(changes.map(({ result }) => [result._id, result._version])).toEqual(expected);
      const cursors = changes.map(({ cursor }) => cursor);
      expect([...new Set(cursors)].sort()).toEqual(cursors);
      for (const { result } of received.slice(count)) expect(result.count).toBe(count);
    },
  );
});

function heardOn({ everything }: MessageClient, channel: string): readonly Notification[] {
  return everything.flatMap((text) => {
    if (!text.includes(channel)) return [];
    const message = JSON.parse(text) as readonly [string, Notification] | (Notification & { room: string });
    if (Array.isArray(message)) return message[0] === channel ? [message[1] as Notification] : [];
    return 'room' in message && message.room === channel ? [message] : [];
  });
}
