import type { ResponseMessage } from '@millrace/actions';
import { NetworkError } from '../errors/NetworkError.js';
import type { Message } from '../Transport.js';
import type { SocketLike } from './SocketLike.js';

const MAX_BUFFERED_BYTES = 8 * 2 ** 20;

/** Called with the response, before any message that follows it. */
export type OnAnswer = (response: ResponseMessage) => void;

/** The requests of a connection that have no answer yet. */
export class PendingRequests {
  #number = 0;
  readonly #pending = new Map<string, { answer: OnAnswer; fail(error: Error): void }>();

  /** @throws NetworkError if too much waits to be sent, or by `fail` */
  send(socket: SocketLike, message: Message, token: string | null, onAnswer?: OnAnswer): Promise<ResponseMessage> {
    const requestId = `c${++this.#number}`;
    const text = JSON.stringify({ ...message, requestId, ...(token !== null && { jwt: token }) });
    return new Promise((resolve, reject) => {
      if (socket.bufferedAmount + text.length > MAX_BUFFERED_BYTES) {
        reject(new NetworkError('too many bytes wait to be sent'));
        return;
      }
      const answer: OnAnswer = (response) => {
        onAnswer?.(response);
        resolve(response);
      };
      this.#pending.set(requestId, { answer, fail: reject });
      socket.send(text);
    });
  }

  /** @returns false if the message isn't the response to a request */
  receive(requestId: string | undefined, message: object): boolean {
    const pending = this.#pending.get(requestId ?? '');
    if (pending === undefined) return false;
    this.#pending.delete(requestId ?? '');
    pending.answer(message as ResponseMessage);
    return true;
  }

  /** No answers will come. */
  failAll(error: Error): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { fail } of all) fail(error);
  }
}
