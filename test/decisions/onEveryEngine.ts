import { randomBytes } from 'node:crypto';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject, Logger, ResponseMessage } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, beforeAll, describe } from 'vitest';
import { startKernel, type Answer } from '../startKernel.js';
import { hasElasticsearch, NODE } from '../storage/openElasticsearch.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';

/** A real server and clients of it. */
export interface TestServer {
  readonly url: string;
  http(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** A message over WebSocket. */
  message(fields: JsonObject): Promise<ResponseMessage>;
  /** A further connection; closed with the server. */
  connect(): Promise<MessageClient>;
  /** An index that no other test uses. */
  newIndex(): string;
  close(): Promise<void>;
}

/** Starts a server with the local strategy and WebSocket. */
export async function openServer(
  storage: JsonObject = {},
  options: { readonly config?: JsonObject; readonly logger?: Logger } = {},
): Promise<TestServer> {
  const started = await startKernel({
    plugins: [localAuth(), websocket()],
    config: { storage, websocket: { port: 0 }, ...options.config },
    ...(options.logger === undefined ? undefined : { logger: options.logger }),
  });
  const addresses = await started.kernel.start();
  const address = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
  const clients: MessageClient[] = [];
  const connect = async () => {
    const client = await connectWebsocket(address);
    clients.push(client);
    return client;
  };
  const client = await connect();
  return {
    url: started.url,
    http: started.ask,
    message: (fields) => client.request(fields),
    connect,
    newIndex: () => `decisions-${randomBytes(6).toString('hex')}`,
    close: async () => {
      for (const each of clients) each.close();
      await started.close();
    },
  };
}

/** Describes the same checks on the embedded engine and, where there is one to test with, on Elasticsearch. */
export function onEveryEngine(title: string, check: (server: () => TestServer) => void): void {
  describe(`${title}, on SQLite`, () => withServer({ engine: 'sqlite' }, check));
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const storage = { engine: 'elasticsearch', elasticsearch: { node: NODE, prefix } };
  describe.skipIf(!hasElasticsearch())(`${title}, on Elasticsearch`, () => {
    // Registered first, it runs last.
    afterAll(() => discard(prefix));
    withServer(storage, check);
  });
}

function withServer(storage: JsonObject, check: (server: () => TestServer) => void): void {
  let server: TestServer;
  beforeAll(async () => {
    server = await openServer(storage);
  });
  afterAll(() => server.close());
  check(() => server);
}

async function discard(prefix: string): Promise<void> {
  const listed = await fetch(`${NODE}/_cat/indices/${prefix}*?format=json&expand_wildcards=all`);
  for (const { index } of (await listed.json()) as readonly { readonly index: string }[]) {
    await fetch(`${NODE}/${encodeURIComponent(index)}`, { method: 'DELETE' });
  }
}
