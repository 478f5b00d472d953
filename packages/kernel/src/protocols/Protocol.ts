import type { Connection } from '../contracts/request/Connection.js';
import type { Request } from '../contracts/request/Request.js';
import type { RequestFields } from '../contracts/request/FieldReader.js';
import type { Response } from '../contracts/request/Response.js';
import type { NodeLink } from '../contracts/cluster/NodeLink.js';
import type { Cursor } from '../contracts/storage/ChangeLog.js';
import type { Logger } from '../contracts/runtime/Logger.js';
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import type { Readiness } from '../contracts/runtime/Readiness.js';
import type { MillraceError } from '../errors/MillraceError.js';
import type { NetworkGuard } from '../network/NetworkGuard.js';
import type { HttpMiddleware } from './HttpMiddleware.js';
import type { HttpStreams } from './HttpStreams.js';
import type { MountedProtocol } from './MountedProtocol.js';
import type { Notifier } from './Notifier.js';
import type { StaticFiles } from './StaticFiles.js';
import type { ProtocolChannels } from './ProtocolChannels.js';
import type { ActionTable } from '../contracts/actions/ActionTable.js';
import type { ByteBudget } from '../concurrency/ByteBudget.js';

/** The address that an entrypoint listens on. */
export interface ProtocolAddress {
  readonly host: string;
  /** The actual port, even if the configuration said 0. */
  readonly port: number;
  /** The URL for users, such as `http://127.0.0.1:7511`. */
  readonly url: string;
}

/** The address of one protocol of a started server. */
export interface ListeningAddress extends ProtocolAddress {
  /** Name of the protocol, such as `http`. */
  readonly protocol: string;
}

/** The kernel's interface for an entrypoint. */
export interface ProtocolHost {
  readonly log: Logger;
  /** All actions with their HTTP routes. */
  readonly actions: ActionTable;
  /** The other nodes of the cluster, if there is one. */
  readonly nodes?: NodeLink;
  /**
   * Up to where a connection has been sent everything, for its heartbeats; undefined: not known now (`SentCursors`).
   * Absent in hosts of tests.
   */
  sentCursor?(connectionId: string): Cursor | undefined;
  /** How many notifications a connection has been sent, for its heartbeats. Absent in hosts of tests. */
  sentCount?(connection: Connection): number;
  /**
   * Determines the source of requests, detects requests of foreign pages to an open server, and limits the number of
   * connections. Absent in hosts of tests: an entrypoint then uses `new NetworkGuard()`, which restricts nothing.
   */
  readonly network?: NetworkGuard;
  /** Answers over HTTP that last, by the name of their protocol. Absent in hosts of tests: there are none. */
  readonly httpStreams?: ReadonlyMap<string, HttpStreams>;
  /** Protocols that take upgrades of the HTTP port, by path (`MountedProtocol.upgradePath`). Absent in hosts of tests. */
  readonly upgrades?: ReadonlyMap<string, MountedProtocol>;
  /** Files that the HTTP entrypoint serves. Absent in hosts of tests: there are none. */
  readonly files?: readonly StaticFiles[];
  /** In front of the HTTP entrypoint. Absent in hosts of tests: there is none. */
  readonly httpMiddleware?: readonly HttpMiddleware[];
  /** The state of the server. Absent in hosts of tests. */
  readonly readiness?: Readiness;
  /** Configuration `server.name`. */
  readonly serviceName: string;
  /**
   * Turns decoded fields into a request. Never throws: problems with the fields are stored in the request, and
   * `dispatch` answers with them. `fault` is an earlier problem, such as a body that is no JSON.
   */
  createRequest(
    fields: RequestFields,
    connection: Connection,
    fault?: MillraceError,
    /** Approximate memory used by the fields (`DecodedMessage.bytes`). */
    bytes?: number,
  ): Request;
  /**
   * Authenticates and authorises a request whose body hasn't been read yet, so that a large body is read only from
   * callers who may send it.
   * @returns the refusal; undefined if the body may be read
   */
  decide(request: Request): Promise<MillraceError | undefined>;
  /** Memory held for clients: unread answers and incoming bodies. `dispatch` counts parsed requests. */
  readonly bytes: ByteBudget;
  /** Runs the request through the pipeline. Never rejects: failures are responses. */
  dispatch(request: Request): Promise<Response>;
  /**
   * As `dispatch`, but returns the response at once if it needs no waiting: for entrypoints that answer many short
   * requests. Never throws. Absent in hosts of tests.
   */
  answer?(request: Request): MaybePromise<Response>;
  /** Counts a lasting connection in the statistics until `connectionClosed`. */
  connectionOpened(connection: Connection): void;
  /**
   * @param cause `slow` if the entrypoint closed it because too much data was waiting for it: counted in the statistics
   */
  connectionClosed(connection: Connection, cause?: 'slow'): void;
}

/**
 * An entrypoint: turns bytes into requests and responses into bytes, and knows nothing of users, permissions or
 * documents. Registered by a plugin with `host.protocol`. The kernel calls `start` once, after every service has
 * started, and `stop` first of all when the server stops: stop accepting, let running requests finish, close. Both have
 * a deadline (configuration `server.startTimeoutMs`, `server.stopTimeoutMs`); a throw in `start` stops the boot.
 */
export interface Protocol {
  /** Key in statistics, such as `http`; also `protocol` of its connections. */
  readonly name: string;
  /**
   * Delivers notifications to its connections. Absent if connections don't last (HTTP), which excludes subscriptions.
   */
  readonly notifier?: Notifier;
  /**
   * Its channels in the server's AsyncAPI document. Absent: the document names the protocol without addresses.
   * @param serviceName configuration `server.name`
   */
  describeChannels?(serviceName: string): ProtocolChannels;
  /** How it answers HTTP requests with streams, if its connections are such answers. */
  readonly httpStreams?: HttpStreams;
  /** How it serves the HTTP server of another application, if supported. */
  readonly mounted?: MountedProtocol;
  /**
   * @returns its address; null if it is configured to open no port and is mounted only (configuration `<name>.listen`)
   */
  start(host: ProtocolHost): Promise<ProtocolAddress | null>;
  stop(): Promise<void>;
}
