import type { Transport } from '../Transport.js';
import type { SocketLike } from './SocketLike.js';

/** What a fallback needs of the client. */
export interface FallbackContext {
  /** Address of the server, without a slash at the end. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a request over HTTP. */
  readonly request: Transport;
}

/** Another way to the server where WebSockets don't get through. */
export interface Fallback {
  /**
   * Opens a connection: a WebSocket, or something that behaves like one.
   * @param openWebSocket undefined if there is no class of WebSockets
   */
  open(context: FallbackContext, openWebSocket: (() => SocketLike) | undefined): SocketLike;
}
