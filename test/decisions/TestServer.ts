import { randomBytes } from 'node:crypto';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject, Logger, ResponseMessage } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startKernel, type Answer, type StartedKernel } from '../startKernel.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';
import { sendOverHttp } from './sendOverHttp.js';

/** The engine under test: gives each server its configuration section `storage`. */
export type TestedEngine = () => JsonObject | Promise<JsonObject>;

/** Protocols that every decision about actions is checked over. */
export const PROTOCOLS = ['http', 'websocket'] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

/** Sends a message and gives its response. */
export type Call = (fields: JsonObject) => Promise<ResponseMessage>;

/** Clients of a started server. */
export interface TestClients {
  /** The same message over one protocol or the other; HTTP takes the route of its action. */
  call(protocol: ProtocolName, fields: JsonObject): Promise<ResponseMessage>;
  /** A further WebSocket connection; closed with the server. */
  connect(): Promise<MessageClient>;
  close(): void;
}

/** A real server and clients of it. */
export interface TestServer extends Omit<TestClients, 'close'> {
  readonly started: StartedKernel;
  readonly url: string;
  http(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A message over WebSocket. */
  message(fields: JsonObject): Promise<ResponseMessage>;
  /** An index that no other test uses. */
  newIndex(): string;
  /** Deletes those indexes: hundreds of them are too many for a small Elasticsearch. */
  discardIndexes(): Promise<void>;
  /** Closes the server too. */
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
  const clients = await connectClients(started);
  const indexes: string[] = [];
  return {
    ...clients,
    started,
    url: started.url,
    http: started.ask,
    message: (fields) => clients.call('websocket', fields),
    newIndex: () => {
      const index = `decisions-${randomBytes(6).toString('hex')}`;
      indexes.push(index);
      return index;
    },
    discardIndexes: async () => {
      const body = { indexes: indexes.splice(0) };
      await started.kernel.execute({ controller: 'index', action: 'mDelete', body });
    },
    close: async () => {
      clients.close();
      await started.close();
    },
  };
}

/** Connects to a server with the WebSocket plugin. */
export async function connectClients(started: StartedKernel): Promise<TestClients> {
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
    call: (protocol, fields) => (protocol === 'http' ? sendOverHttp(started, fields) : client.request(fields)),
    connect,
    close: () => {
      for (const each of clients) each.close();
    },
  };
}

/** A server for the tests of a `describe`. */
export function useServer(engine: TestedEngine): () => TestServer {
  let server: TestServer;
  beforeAll(async () => {
    server = await openServer(await engine());
  });
  afterEach(() => server.discardIndexes());
  afterAll(() => server.close());
  return () => server;
}
