import type { JsonObject, Plugin, ResponseMessage } from '@millrace/kernel';
import { startTestKernel, type TestKernel } from '../kernel/startTestKernel.js';
import { expect } from '../runner/expect.js';
import type { TestRunner } from '../runner/TestRunner.js';

/** A client of the protocol under test, written by the plugin's author with any library. */
export interface ProtocolClient {
  /** Sends the fields of a message, with a `requestId` if there is none, and waits for its response. */
  request(fields: JsonObject): Promise<ResponseMessage>;
  /**
   * Subscribes to a channel. @returns a list to which later messages are appended. Required if the protocol has a
   * notifier.
   */
  receive?(channel: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Sends bytes that are not a valid message. */
  sendNonsense?(bytes: Buffer): Promise<void> | void;
  close(): Promise<void> | void;
  /** Resolves once the connection is closed, by either side. */
  readonly closed: Promise<unknown>;
}

/** A protocol under test. */
export interface ProtocolUnderTest {
  /** `Protocol.name`: its key in statistics and its configuration section, whose `port` is set to 0. */
  readonly name: string;
  /** The plugin that provides the protocol. Created for each test. */
  readonly plugin: () => Plugin;
  readonly config?: JsonObject;
  /** @param url the address at which the server listens for the protocol */
  connect(url: string): Promise<ProtocolClient>;
}

const PLACE = { index: 'contract', collection: 'things' };
const WAIT_MS = 5_000;

/**
 * The contracts of `Protocol` and, if clients have `receive`, of `Notifier` as tests, on a real server: every protocol,
 * ours or a plugin's, runs them. The rules are those of docs/reference/protocols.md.
 * @param runner `import * as runner from 'vitest'`, or from `'node:test'`
 */
export function describeProtocol(protocol: ProtocolUnderTest, runner: TestRunner): void {
  const { describe, it, beforeEach, afterEach } = runner;
  const { name } = protocol;
  describe(`${name} as a Protocol`, () => {
    let server: TestKernel;
    const clients: ProtocolClient[] = [];
    beforeEach(async () => {
      const config = { [name]: { port: 0 }, ...protocol.config };
      server = await startTestKernel({ plugins: [protocol.plugin()], config });
    });
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.close();
      await server.close();
    });
    const connect = async () => {
      const client = await protocol.connect(server.urlOf(name));
      clients.push(client);
      return client;
    };
    const now = { controller: 'server', action: 'now' };
    const counted = async (what: 'connections' | 'completedRequests') => {
      const { result } = await server.kernel.execute({
        controller: 'server',
        action: 'getLastStats',
      });
      return (result as Record<typeof what, Record<string, number>>)[what][name] ?? 0;
    };

    it('answers a request with the whole envelope, under its requestId and with its metadata (PROTO-10)', async () => {
      const client = await connect();
      const answer = await client.request({
        ...now,
        requestId: 'mine-1',
        metadata: { a: [1, null] },
      });
      expect(answer).toMatchObject({
        requestId: 'mine-1',
        status: 200,
        error: null,
        metadata: { a: [1, null] },
        ...now,
      });
    });

    it('carries a document there and back unchanged, whatever its keys and letters (PROTO-7)', async () => {
      const client = await connect();
      const text = '{"a":[{"é":null,"__proto__":{"b":2}}],"constructor":"\\u0000😀","n":-0.25}';
      const body = JSON.parse(text) as JsonObject;
      const written = await client.request({
        controller: 'document',
        action: 'create',
        ...PLACE,
        _id: 'one',
        body,
      });
      expect(written.error).toBeNull();
      const { result } = await client.request({
        controller: 'document',
        action: 'get',
        ...PLACE,
        _id: 'one',
      });
      expect(JSON.stringify((result as { _source: JsonObject })._source)).toBe(JSON.stringify(body));
    });

    it('answers errors with status, null result and error id, and stays open (PROTO-11)', async () => {
      const client = await connect();
      const cases: [JsonObject, number, string][] = [
        [{ controller: 'server', action: 'NOW' }, 404, 'api.action_not_found'],
        [{ controller: '__proto__', action: 'now' }, 404, 'api.controller_not_found'],
        [{ ...now, index: 7 }, 400, 'api.invalid_argument'],
        [{ controller: 'document', action: 'get', ...PLACE, _id: 'none' }, 404, 'storage.index_not_found'],
      ];
      for (const [fields, status, id] of cases)
        expect(await client.request(fields)).toMatchObject({ status, result: null, error: { id } });
      expect((await client.request(now)).status).toBe(200);
    });

    it('answers requests that overlap, each under its own requestId', async () => {
      const client = await connect();
      const ids = Array.from({ length: 50 }, (_, at) => `r-${at}`);
      const answers = await Promise.all(ids.map((requestId) => client.request({ ...now, requestId })));
      expect(answers.map(({ requestId, status }) => `${requestId} ${status}`)).toEqual(ids.map((id) => `${id} 200`));
    });

    it('counts its connections until they are gone, and its requests', async () => {
      const one = await connect();
      await one.request(now);
      await until(async () => (await counted('connections')) === 1);
      const other = await connect();
      await until(async () => (await counted('connections')) === 2);
      await other.close();
      await until(async () => (await counted('connections')) === 1);
      expect(await counted('completedRequests')).toBeGreaterThanOrEqual(1);
    });

    it('survives bytes that are not a message, and keeps other connections open', async () => {
      const bystander = await connect();
      const nonsense = ['', '{', '[]', 'null', '{"a":'.repeat(500), '\u0000\uffff', 'GET / HTTP/1.1\r\n\r\n'];
      for (const text of nonsense) {
        const client = await connect();
        await client.sendNonsense?.(Buffer.from(text));
        await client.sendNonsense?.(Buffer.from([0xff, 0xfe, 0x00, 0xc3]));
        expect((await bystander.request(now)).status).toBe(200);
      }
      expect((await (await connect()).request(now)).status).toBe(200);
    });

    it('delivers notifications in their order to subscribers, until they leave (PROTO-72, PROTO-85)', async () => {
      const [listener, publisher] = [await connect(), await connect()];
      if (listener.receive === undefined) return;
      const subscribe = { controller: 'realtime', action: 'subscribe', ...PLACE, body: {} };
      const { result } = await listener.request(subscribe);
      const { channel, roomId } = result as { channel: string; roomId: string };
      const received = await listener.receive(channel);
      const publish = (n: number) =>
        publisher.request({ controller: 'realtime', action: 'publish', ...PLACE, body: { n } });
      for (let n = 0; n < 20; n++) expect((await publish(n)).status).toBe(200);
      await until(async () => received.length === 20);
      const numbers = received.map((each) => (each as { result: { _source: { n: number } } }).result._source.n);
      expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n));
      await listener.request({ controller: 'realtime', action: 'unsubscribe', body: { roomId } });
      await publish(20);
      await listener.request(now);
      expect(received).toHaveLength(20);
    });

    it('ends its connections when the server stops, and listens no more', async () => {
      const client = await connect();
      await client.request(now);
      const url = server.urlOf(name);
      await server.kernel.stop();
      await client.closed;
      const isRefused = await protocol.connect(url).then(
        () => false,
        () => true,
      );
      expect(isRefused).toBe(true);
    });

    it('says which port is taken, and stops the start', async () => {
      const port = Number(new URL(server.urlOf(name)).port);
      const config = {
        ...protocol.config,
        [name]: { ...(protocol.config?.[name] as object), port },
      };
      await expect(startTestKernel({ plugins: [protocol.plugin()], config: config })).rejects.toMatchObject({
        id: 'core.start_failed',
      });
    });
  });
}

/** Polls until the condition holds. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`It was not so within ${WAIT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
