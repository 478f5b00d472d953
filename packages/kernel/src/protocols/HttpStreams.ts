import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../contracts/actions/ActionDefinition.js';
import type { MillraceError } from '../errors/MillraceError.js';
import type { RequestFields } from '../contracts/request/FieldReader.js';
import type { ResponseMessage } from '../contracts/request/Response.js';
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import type { Connection } from '../contracts/request/Connection.js';

/**
 * How a protocol sends answers over HTTP that last, such as server-sent events (`Protocol.httpStreams`). The HTTP
 * entrypoint serves its routes on its own port, and in applications that mount the server: it reads and checks the
 * request, calls `open`, dispatches the action under the connection of the stream, and passes on the outcome.
 */
export interface HttpStreams {
  /** The action that its routes run, such as `realtime.subscribe`. */
  readonly controller: string;
  readonly action: string;
  /** Without HEAD, which is refused with 405. They are listed with the other routes of the action. */
  readonly routes: readonly Route[];
  /** Media type of the answers, for descriptions. */
  readonly mediaType: string;
  /** Called for each request, before its action runs. A throw is answered 500. */
  open(exchange: HttpStreamExchange): MaybePromise<HttpStream>;
}

/** A request for a stream. */
export interface HttpStreamExchange {
  readonly request: IncomingMessage;
  /** For its event `close` only, until `HttpStream.answer` is called. */
  readonly response: ServerResponse;
  /** The fields of the message, from path, query string, headers and body. */
  readonly fields: RequestFields;
  /** See `Connection.remoteAddress`. */
  readonly remoteAddress: string;
  /** To be sent with the stream, such as those of CORS. */
  readonly headers: Readonly<Record<string, string | number>>;
}

/** One stream. */
export interface HttpStream {
  /** Of the protocol, whose notifier must know it from now on. The protocol reports when it opens and closes. */
  readonly connection: Connection;
  /** The fields of the message, possibly with others. */
  readonly fields: RequestFields;
  /** A problem, such as an invalid ticket: answered instead of running the action. */
  readonly fault?: MillraceError | undefined;
  /**
   * Called once, with the outcome of the action, also if the client has gone.
   * @returns true if the protocol answers: the response is then its own. False: the entrypoint answers with the message,
   *   and the stream has ended
   */
  answer(message: ResponseMessage): boolean;
}
