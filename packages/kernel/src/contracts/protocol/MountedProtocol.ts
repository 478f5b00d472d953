import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * How a protocol serves the HTTP server of another application (`Protocol.mounted`). The kernel calls it between the
 * protocol's `start` and the end of its `stop`, for what arrives under the path at which the application has mounted
 * Millrace. The application's server, its sockets and their time limits stay the application's own: a protocol answers,
 * and closes the connections that it has upgraded. A throw is logged and ends that exchange alone.
 */
export interface MountedProtocol {
  /**
   * The part below the mount that is this protocol's own, such as `/socket.io`. Absent: all that is nobody's own; the
   * first protocol without a path takes it.
   */
  readonly path?: string;
  /**
   * Takes a request.
   * @param url path and query string below the mount, from `/` on; `request.url` is the application's
   */
  request?(request: IncomingMessage, response: ServerResponse, url: string): void;
  /** Takes an upgrade to another protocol. The socket is the protocol's from now on, its errors too. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}
