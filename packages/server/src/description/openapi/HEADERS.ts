import type { JsonObject } from '@millrace/kernel';

const VERSION = String.raw`"[1-9]\d{0,15}"`;

/** Request headers of some actions, as `components.parameters`. */
export const REQUEST_HEADERS: JsonObject = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Executes the request once, however often it is sent within 24 hours; a repeat receives the same answer.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Write only if the document has this version (the `ETag` of a response), or for `*` if it exists. Otherwise 412.',
    schema: { type: 'string', pattern: `^(?:${VERSION}|[*])$` },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Write only if the document does not exist.',
    schema: { type: 'string', const: '*' },
  },
};

/** Response headers, as `components.headers`. */
export const RESPONSE_HEADERS: JsonObject = {
  ETag: {
    description: 'The version of the document, in quotation marks.',
    required: true,
    schema: { type: 'string', pattern: `^${VERSION}$` },
  },
  IdempotentReplayed: {
    description: 'The answer is that of an earlier request with the same idempotency key.',
    schema: { type: 'string', const: 'true' },
  },
  MillraceHint: {
    description: 'Advice, where the request may not have done what its sender expects.',
    schema: { type: 'string' },
  },
};
