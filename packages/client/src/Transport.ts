import type { ResponseMessage } from '@millrace/actions';

/** A request as it is sent: names of controller and action, and the fields of the message. */
export interface Message {
  readonly controller: string;
  readonly action: string;
  readonly [field: string]: unknown;
}

/** What a transport needs in addition to the message. */
export interface TransportContext {
  /** The token to send; null: none. */
  readonly token: string | null;
  /** Ends the wait for the answer: the transport then throws `signal.reason`. */
  readonly signal: AbortSignal;
}

/** An answer of the server, whatever its status. */
export interface Answer {
  readonly response: ResponseMessage;
  /** From the header `Retry-After`. */
  readonly retryAfterMs?: number;
}

/**
 * Sends one message and returns its answer; also answers with a status of 4xx and 5xx. Repeats nothing.
 * @throws NetworkError if no answer arrives, or none of a Millrace server
 */
export type Transport = (message: Message, context: TransportContext) => Promise<Answer>;
