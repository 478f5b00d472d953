import specifications from '@asyncapi/specs';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { connectMqtt } from '../wire/clients/connectMqtt.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';
import { AsyncApiCheck } from './AsyncApiCheck.js';
import { openDescribedServer } from './openDescribedServer.js';

type Message = Readonly<Record<string, unknown>>;

/** The official schema of AsyncAPI documents. */
const OFFICIAL = specifications.schemas['3.0.0'] as object;

const ALIASES: Readonly<Record<string, string>> = { ms: 'memoryStorage', admin: 'server' };

describe('GET /_asyncapi', () => {
  let server: Awaited<ReturnType<typeof openDescribedServer>>;
  let document: JsonObject;
  let check: AsyncApiCheck;
  let client: MessageClient;
  const problems: string[] = [];

  async function ask(from: MessageClient, message: Message): Promise<JsonObject> {
    const name = `${ALIASES[String(message['controller'])] ?? String(message['controller'])}.${String(message['action'])}`;
    problems.push(...check.problemsOf(`${name}.request`, message));
    const response = await from.request(message);
    problems.push(...check.problemsOf(`${name}.response`, response));
    return response as unknown as JsonObject;
  }

  beforeAll(async () => {
    server = await openDescribedServer();
    document = await server.read('/_asyncapi');
    check = new AsyncApiCheck(document);
    client = await connectWebsocket(server.urlOf('websocket'));
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  it('is an AsyncAPI 3 document by the official schema', () => {
    const ajv = new Ajv({
      strict: false,
      logger: false,
      validateFormats: false,
      // It brings the schema of schemas along.
      meta: false,
      validateSchema: false,
    });
    const validate = ajv.compile(OFFICIAL);
    expect(validate(document), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  });

  it('refers to nothing that is not there', () => {
    const text = JSON.stringify(document);
    const pointers = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, at = '']) => at));
    expect(pointers.size).toBeGreaterThan(500);
    const missing = [...pointers].filter((pointer) => {
      const steps = pointer.split('/');
      return steps.reduce<unknown>((at, step) => (at as Message)?.[step], document) === undefined;
    });
    expect(missing).toEqual([]);
  });

  it('has the messages of every action on each protocol, and no HTTP', () => {
    const names = [...server.kernel.actions].map(({ controller, action }) => `${controller}.${action}.request`);
    const channels = document['channels'] as Record<string, { messages: JsonObject }>;
    for (const channel of ['websocket', 'fallbackRequests', 'mqttRequests']) {
      const described = Object.keys(channels[channel]?.messages ?? {});
      expect(described.filter((name) => name.endsWith('.request'))).toEqual(names);
    }
    expect(Object.keys(document['servers'] as JsonObject)).toEqual(['websocket', 'fallback', 'mqtt']);
    expect(channels).toHaveProperty('mqttResponses.address', 'mqtt.{clientId}');
    expect(channels).toHaveProperty('fallbackRequests.address', 'millrace');
  });

  it('describes requests and responses as they go over WebSocket and MQTT', async () => {
    const mqtt = await connectMqtt(server.urlOf('mqtt'), 'describer');
    const at = { index: 'shop', collection: 'things' };
    const calls: readonly Message[] = [
      { controller: 'document', action: 'create', ...at, _id: 'a', body: { n: 1 } },
      { controller: 'document', action: 'get', ...at, _id: 'a', metadata: { mine: true } },
      { controller: 'document', action: 'get', ...at, _id: 'none' },
      { controller: 'document', action: 'search', ...at, from: 0, body: { query: {} } },
      { controller: 'document', action: 'mGet', ...at, body: { ids: ['a', 'none'] } },
      { controller: 'document', action: 'mGet', ...at, ids: ['a'] },
      { controller: 'ms', action: 'set', _id: 'k', body: { value: 'v' } },
      { controller: 'ms', action: 'multi' },
      { controller: 'ms', action: 'get', _id: 'k' },
      { controller: 'ms', action: 'exec' },
      { controller: 'auth', action: 'checkToken', body: { token: 'x' } },
      { controller: 'admin', action: 'now' },
      { controller: 'server', action: 'info' },
      { controller: 'realtime', action: 'count', body: { roomId: '0'.repeat(32) } },
    ];
    for (const each of [client, mqtt]) for (const call of calls) {
      // What has to be repeatable gets another name the second time.
      await ask(each, each === mqtt && call['action'] === 'create' ? { ...call, _id: 'b' } : call);
    } // prettier-ignore
    mqtt.close();
    expect(problems).toEqual([]);
  });

  it('describes notifications as they come', async () => {
    const at = { index: 'shop', collection: 'received' };
    const options = { scope: 'all', state: 'all', users: 'all' };
    const body = { equals: { kind: 'seen' } };
    const subscribed = await ask(client, { controller: 'realtime', action: 'subscribe', ...at, ...options, body });
    const { roomId, channel } = subscribed['result'] as Record<string, string>;
    const received = await client.receive(channel ?? '');
    const other = await connectWebsocket(server.urlOf('websocket'));
    await ask(other, { controller: 'realtime', action: 'join', body: { roomId } });
    const document_ = { controller: 'document', ...at, _id: 'a' };
    await ask(other, { ...document_, action: 'create', body: { kind: 'seen' } });
    await ask(other, { ...document_, action: 'update', body: { more: 1 } });
    await ask(other, { ...document_, action: 'update', body: { kind: 'unseen' } });
    await ask(other, { ...document_, action: 'update', body: { kind: 'seen' } });
    await ask(other, { ...document_, action: 'delete' });
    await ask(other, { controller: 'realtime', action: 'publish', ...at, body: { kind: 'seen' } });
    await ask(other, { controller: 'realtime', action: 'unsubscribe', body: { roomId } });
    await ask(client, { controller: 'realtime', action: 'unsubscribe', body: { roomId } });
    other.close();
    expect(received.map(kindOf)).toEqual([
      'UserJoined', 'DocumentCreationPending', 'DocumentCreated', 'DocumentUpdated', 'DocumentLeft',
      'DocumentUpdated', 'DocumentDeletionPending', 'DocumentDeleted', 'MessagePublished', 'UserLeft',
    ]); // prettier-ignore
    problems.push(...received.flatMap((message) => check.problemsOf(kindOf(message), message)));
    expect(problems).toEqual([]);
    expect(check.problemsOf('heartbeat', { type: 'heartbeat' })).toEqual([]);
    expect(check.problemsOf('heartbeat', { type: 'heartbeat', cursor: 'e1.00000001' })).toEqual([]);
    expect(check.problemsOf('heartbeat', { type: 'heartbeat', cursor: 1 })).not.toEqual([]);
    expect(check.problemsOf('DocumentCreated', { ...received[2], scope: 'out' }).join()).toContain('scope');
  });
});

function kindOf({ action, state, scope }: Message): string {
  switch (action) {
    case 'create':
      return state === 'pending' ? 'DocumentCreationPending' : 'DocumentCreated';
    case 'delete':
      return state === 'pending' ? 'DocumentDeletionPending' : 'DocumentDeleted';
    case 'update':
      return scope === 'in' ? 'DocumentUpdated' : 'DocumentLeft';
    case 'publish':
      return 'MessagePublished';
    case 'subscribe':
      return 'UserJoined';
    default:
      return action === 'unsubscribe' ? 'UserLeft' : String(action);
  }
}
