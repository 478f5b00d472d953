import { NO_METADATA } from '../contracts/request/Request.js';
import type { ResponseMessage } from '../contracts/request/Response.js';

const NEEDS_ESCAPES = /[^ !#-[\]-~]/;

/**
 * A response message as JSON up to its result, the same as `JSON.stringify` writes it: that takes three times as long
 * for a message whose fields are short strings.
 */
export function envelopeHead(message: Omit<ResponseMessage, 'result'>): string {
  const { error, metadata } = message;
  return (
    `{"requestId":${quote(message.requestId)}` +
    `,"status":${message.status},"error":${error === null ? 'null' : JSON.stringify(error)}` +
    `,"controller":${quote(message.controller)},"action":${quote(message.action)}` +
    `,"index":${quote(message.index)},"collection":${quote(message.collection)}` +
    `,"metadata":${metadata === NO_METADATA ? '{}' : JSON.stringify(metadata)}` +
    ',"state":"done","result":'
  );
}

function quote(text: string | null): string {
  if (text === null) return 'null';
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}
