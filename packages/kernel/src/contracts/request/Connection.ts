import type { User } from '../security/User.js';
import type { Lifetime } from './Lifetime.js';

/** An HTTP request as tools for observation see it. */
export interface HttpRequestFacts {
  readonly method: string;
  /** Without the query string, which may hold a token. */
  readonly path: string;
  /** Pattern of the route, such as `/:index/:collection/_search`; undefined if there is none. */
  readonly route: string | undefined;
}

/** One client connection, or one HTTP exchange. */
export interface Connection {
  /** Unique within the server. */
  readonly id: string;
  readonly protocol: string;
  /** Address of the client: the socket's peer, or the address that a trusted proxy reports (`http.trustedProxies`). */
  readonly remoteAddress: string;
  /** Closed when the client has disconnected. Absent: the client can't disconnect (a program). */
  readonly lifetime?: Lifetime;
  /** The HTTP request. Absent if the connection is no HTTP exchange. */
  readonly http?: HttpRequestFacts;
  /** A header of the HTTP exchange, by its name in lower case. Absent if the protocol has no headers. */
  header?(name: string): string | undefined;
  /**
   * Starts the heartbeats of the connection (`client.hello`). Absent if connections of the protocol don't last.
   * @returns the longest silence of the server, in milliseconds; null if the protocol has no heartbeats that clients see
   */
  startHeartbeats?(): number | null;
  /** The user of requests without a token, if the connection itself has a user (a program, MQTT credentials). */
  readonly user?: User;
}
