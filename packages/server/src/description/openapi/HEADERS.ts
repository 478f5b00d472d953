import type { JsonObject } from '@millrace/kernel';

const VERSION = String.raw`"[1-9]\d{0,15}"`;

/** Conditional request headers, as `components.parameters`. */
export const CONDITIONS: JsonObject = {
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
  MillraceHint: {
    description: 'Advice, where the request may not have done what its sender expects.',
    schema: { type: 'string' },
  },
};
