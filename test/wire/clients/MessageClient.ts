import type { ResponseMessage } from '@millrace/kernel';

/** A connected client of a lasting protocol. */
export interface MessageClient {
  /** Sends a message and gives its response. */
  request(message: Readonly<Record<string, unknown>>): Promise<ResponseMessage>;
  /** Subscribes the client to a channel that it has subscribed to; gives what arrives on it. */
  receive(channel: string): Promise<readonly Record<string, unknown>[]>;
  /** All that has come in on whatever channel, as text. */
  readonly everything: readonly string[];
  /** Sends bytes that are no message. */
  sendNonsense(bytes: Buffer): void;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<unknown>;
  close(): void;
}
