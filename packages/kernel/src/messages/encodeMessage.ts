import { DeferredMessage } from './DeferredMessage.js';
import { envelopeHead } from './envelopeHead.js';
import type { ResponseMessage } from '../contracts/request/Response.js';

/**
 * A response message as JSON text, for entrypoints: the same as `JSON.stringify`, but faster if the result is already
 * JSON text. @throws if the result can't be written as JSON
 */
export function encodeMessage(message: ResponseMessage): string {
  if (message instanceof DeferredMessage) return message.toText();
  const { result, jwt, replayed } = message;
  // Undefined: an action in JavaScript has returned something that JSON doesn't have.
  const text = JSON.stringify(result) as string | undefined;
  if (text === undefined || jwt !== undefined || replayed !== undefined) {
    return JSON.stringify(message);
  }
  return `${envelopeHead(message)}${text}}`;
}

/**
 * Length of a result that is JSON text or a string, before it is encoded: so an answer that exceeds its client's share
 * is detected at no cost. 0 for other results.
 */
export function resultLengthOf(message: ResponseMessage): number {
  if (message instanceof DeferredMessage) return message.resultLength;
  return typeof message.result === 'string' ? message.result.length : 0;
}
