import { DeferredMessage } from './DeferredMessage.js';
import type { ResponseMessage } from './Response.js';

/**
 * A response message as JSON text, for entrypoints: the same as `JSON.stringify`, at less cost where the result is JSON
 * text already. @throws where the result is no JSON
 */
export function encodeMessage(message: ResponseMessage): string {
  return message instanceof DeferredMessage ? message.toText() : JSON.stringify(message);
}

/**
 * Characters of a result that is JSON text or a string, before it is encoded: an answer that is too large for its client's
 * share costs nothing yet. 0 for others.
 */
export function resultLengthOf(message: ResponseMessage): number {
  if (message instanceof DeferredMessage) return message.resultLength;
  return typeof message.result === 'string' ? message.result.length : 0;
}
