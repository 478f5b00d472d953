import type { Lifetime } from '../../request/Lifetime.js';
import type { Request } from '../../request/Request.js';
import type { RequestFields } from '../../request/createRequest.js';
import type { Response } from '../../request/Response.js';
import type { NodeLink } from '../cluster/NodeLink.js';
import type { User } from '../security/User.js';
import type { Logger } from '../runtime/Logger.js';
import type { MillraceError } from '../../errors/MillraceError.js';
import type { NetworkGuard } from '../../protocols/NetworkGuard.js';
import type { MountedProtocol } from './MountedProtocol.js';
import type { Notifier } from './Notifier.js';
import type { ProtocolChannels } from './ProtocolChannels.js';
import type { ActionTable } from '../../actions/ActionTable.js';
import type { ByteBudget } from '../../pipeline/ByteBudget.js';

/** Where an entrypoint listens. */
export interface ProtocolAddress {
  readonly host: string;
  /** The real port, also where the configuration said 0. */
  readonly port: number;
  /** What a user types, such as `http://127.0.0.1:7511`. */
  readonly url: string;
}

/** Where a started server listens: one for each protocol. */
export interface ListeningAddress extends ProtocolAddress {
  /** Name of the protocol, such as `http`. */
  readonly protocol: string;
}

/** One client connection, or one HTTP exchange. */
export interface Connection {
  /** Unique within the server. */
  readonly id: string;
  readonly protocol: string;
  /** Address of the client: the socket's peer, or what a trusted proxy says (`http.trustedProxies`). */
  readonly remoteAddress: string;
  /** Ends when the client has gone. Absent: it can't go (a program). */
  readonly lifetime?: Lifetime;
  /** A header of the HTTP exchange, by its name in lower case. Absent where the protocol has none. */
  header?(name: string): string | undefined;
  /** The user of requests without a token, where the connection has one of its own (a program, MQTT credentials). */
  readonly user?: User;
}

/** What the kernel gives an entrypoint to work with. */
export interface ProtocolHost {
  readonly log: Logger;
  /** All actions with their HTTP routes. */
  readonly actions: ActionTable;
  /** The other nodes of the cluster, where there is one. */
  readonly nodes?: NodeLink;
  /**
   * Where requests come from, which of them foreign pages send to an open server, and how many connections there may be.
   * Absent in hosts of tests: an entrypoint then uses `new NetworkGuard()`, which restricts nothing.
   */
  readonly network?: NetworkGuard;
  /** Configuration `server.name`. */
  readonly serviceName: string;
  /**
   * Turns decoded fields into a request. Never throws: what is wrong with the fields is kept in the request and
   * answered by `dispatch`. `fault` is what went wrong before, such as a body that is no JSON.
   */
  createRequest(
    fields: RequestFields,
    connection: Connection,
    fault?: MillraceError,
    /** Memory that the fields take, roughly (`DecodedMessage.bytes`). */
    bytes?: number,
  ): Request;
  /**
   * Judges token and rights of a request whose body has not been read yet, so that a large body is read only from
   * callers who may send it.
   * @returns the refusal; undefined where the body may be read
   */
  judge(request: Request): Promise<MillraceError | undefined>;
  /** What is held for clients: unread answers, bodies that arrive. Parsed requests are counted by `dispatch`. */
  readonly bytes: ByteBudget;
  /** Runs the request through the pipeline. Never rejects: failures are responses. */
  dispatch(request: Request): Promise<Response>;
  /** Counts a lasting connection in the statistics until `connectionClosed`. */
  connectionOpened(connection: Connection): void;
  /** @param cause `slow` where the entrypoint closed it because too much waited for it: counted in the statistics */
  connectionClosed(connection: Connection, cause?: 'slow'): void;
}

/**
 * An entrypoint: turns bytes into requests and responses into bytes, and knows nothing of users, rights or documents.
 * Brought by a plugin through `host.protocol`. The kernel calls `start` once, after every service has started, and
 * `stop` first of all at the end: stop accepting, let running requests answer, close. Both have a deadline
 * (configuration `server.startTimeoutMs`, `server.stopTimeoutMs`); a throw in `start` stops the boot.
 */
export interface Protocol {
  /** Key in statistics, such as `http`; `protocol` of its connections. */
  readonly name: string;
  /** How notifications reach its connections. Absent where connections don't last (HTTP): no subscriptions then. */
  readonly notifier?: Notifier;
  /**
   * Its channels in the AsyncAPI document of the server. Absent: the document names the protocol without addresses.
   * @param serviceName configuration `server.name`
   */
  describeChannels?(serviceName: string): ProtocolChannels;
  /** How it serves the HTTP server of another application, where it can. */
  readonly mounted?: MountedProtocol;
  /** @returns where it listens; null where it is told to open no port and is mounted only (configuration `<name>.listen`) */
  start(host: ProtocolHost): Promise<ProtocolAddress | null>;
  stop(): Promise<void>;
}
