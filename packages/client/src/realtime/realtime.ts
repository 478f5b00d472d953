import type { Collection } from '../collection/Collection.js';
import type { Extension } from '../Extension.js';
import type { MillraceClient } from '../MillraceClient.js';
import type { RequestOptions } from '../Request.js';
import type { Transport } from '../Transport.js';
import { Connection, type ConnectionState } from './Connection.js';
import type { Fallback } from './Fallback.js';
import type { ServerMessage } from './ServerMessage.js';
import type { SocketClass, SocketLike } from './SocketLike.js';
import { toSocketUrl } from './toSocketUrl.js';
import type { SubscribeOptions, Subscription } from './Subscription.js';
import { Subscriptions } from './Subscriptions.js';

/** Options of `realtime`. */
export interface RealtimeOptions {
  /**
   * Address of the WebSocket entrypoint, such as `wss://realtime.example.com`. Default: the address of the client, with
   * `/_ws` behind it.
   */
  readonly url?: string;
  /** Default: the global `WebSocket`. Node.js has one from version 22 on; before, pass that of the package `ws`. */
  readonly WebSocket?: SocketClass;
  /** `socket`: requests are sent over the connection while it is open. Default `http`. */
  readonly requests?: 'http' | 'socket';
  /** What is used where WebSockets don't get through: `sse()` of `@millrace/client/sse`. Default: nothing. */
  readonly fallback?: Fallback;
}

/** The connection of a client. It is open while there are subscriptions. */
export interface RealtimeConnection {
  readonly state: ConnectionState;
  /** Why the state is `closed`. */
  readonly error: Error | undefined;
  /** Calls the listener at each change of `state`. Returns the function that ends it. */
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Closes all subscriptions and the connection. */
  close(): void;
  /**
   * Keeps the connection open, for extensions.
   * @param onMessage called for each message that isn't an answer
   * @returns the function that ends it
   */
  use(onMessage: (message: ServerMessage) => void): () => void;
}

/** What `realtime()` adds to a client. */
export interface RealtimeClient {
  readonly connection: RealtimeConnection;
}

/** What `realtime()` adds to a collection. */
export interface RealtimeCollection<T> {
  /** The connection of the client. */
  readonly connection: RealtimeConnection;
  /**
   * Subscribes to the documents and messages that match a filter; without one, to all.
   *
   * ```ts
   * for await (const event of stations.subscribe({ range: { bikes: { lt: 5 } } })) {
   *   if (event.kind === 'changed') put(event.id, event.source);
   *   if (event.kind === 'left') remove(event.id);
   *   if (event.kind === 'gap') await readAgain();
   * }
   * ```
   * @param filter of the real-time filter language, or `{ query }` with a query of the search language
   */
  subscribe(filter?: object, options?: SubscribeOptions): Subscription<T>;
  /** Sends a message to all subscribers whose filter it matches. Nothing is stored. */
  publish(message: T & { readonly _id?: string }, options?: RequestOptions): Promise<void>;
}

/**
 * Adds subscriptions to a client: `createClient(url).with(realtime())`. The connection is opened with the first
 * subscription, opened again when it is lost, and closed after the last one.
 */
export function realtime(options: RealtimeOptions = {}): Extension<'realtime'> {
  let opened: Opened;
  return {
    name: 'realtime',
    extendClient(client) {
      opened = open(client, options);
      return { connection: opened.connection };
    },
    extendCollection: (collection): RealtimeCollection<unknown> => ({
      connection: opened.connection,
      subscribe: (filter = {}, { signal, cursor, mode = 'auto', ...rest } = {}) => {
        const { index, name } = collection;
        const subscribed = { index, collection: name, filter, mode, ...rest };
        const subscriber = opened.subscriptions.subscribe(subscribed, cursor);
        if (signal?.aborted === true) subscriber.close();
        else signal?.addEventListener('abort', () => subscriber.close(), { once: true });
        return subscriber;
      },
      publish: async (message, sent) => {
        await collection.send(publication(collection, message), sent);
      },
    }),
  };
}

function publication({ index, name }: Collection<unknown>, body: unknown) {
  return { controller: 'realtime', action: 'publish', index, collection: name, body };
}

interface Opened {
  readonly subscriptions: Subscriptions;
  readonly connection: RealtimeConnection;
}

function open(client: MillraceClient, options: RealtimeOptions): Opened {
  const { session, transport } = client;
  const listeners = new Set<(state: ConnectionState) => void>();
  const connection = new Connection({
    session,
    openSocket: () => openSocket(client, transport, options),
    onOpen: () => subscriptions.opened(),
    onLost: () => subscriptions.lost(),
    onMessage: (message, bytes) => {
      subscriptions.received(message, bytes);
      for (const use of subscriptions.uses) use(message);
    },
    onState: (state) => {
      if (state === 'closed') subscriptions.endAll(connection.error);
      for (const listener of listeners) listener(state);
    },
  });
  const subscriptions = new Subscriptions(session, connection, client.actions.realtime);
  client.transport = overSocket(connection, transport, options.requests === 'socket');
  return {
    subscriptions,
    connection: {
      get state() {
        return connection.state;
      },
      get error() {
        return connection.error;
      },
      onState: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      use: (onMessage) => subscriptions.use(onMessage),
      close: () => {
        subscriptions.endAll(undefined);
        connection.disconnect();
      },
    },
  };
}

/** @throws TypeError without an address, or without a class of WebSockets */
function openSocket({ url, http }: MillraceClient, request: Transport, options: RealtimeOptions): SocketLike {
  const Socket: SocketClass | undefined = options.WebSocket ?? globalThis.WebSocket;
  const open = Socket && (() => new Socket(options.url ?? toSocketUrl(url)));
  if (options.fallback !== undefined) return options.fallback.open({ url, ...http, request }, open);
  if (open === undefined) {
    throw new TypeError('realtime needs the option `WebSocket`: pass that of the package ws');
  }
  return open();
}

/**
 * Sends requests over the connection while it is open, and over HTTP otherwise: all of them, or those of the controller
 * `realtime` alone. An answer over HTTP tells the connection that the server is there.
 */
function overSocket(connection: Connection, http: Transport, areAll: boolean): Transport {
  return async (message, context) => {
    const isSuitable = areAll || message.controller === 'realtime';
    if (!isSuitable || connection.state !== 'open') {
      const answer = await http(message, context);
      if (answer.response.status < 500) connection.answered();
      return answer;
    }
    const { token, signal } = context;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      connection.request(message, token).then((response) => resolve({ response }), reject);
    });
  };
}
