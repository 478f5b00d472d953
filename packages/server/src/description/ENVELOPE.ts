import { schema, type JsonObject } from '@millrace/kernel';

const { text, integer, object, oneOf, named, orNull } = schema;

const id: JsonObject = { ...text, description: 'A stable dotted name.' };

/** The `error` of a response (PROTO-12). */
export const ERROR = named(
  'Error',
  object(
    {
      id,
      status: integer(200),
      message: { type: ['string', 'object'], description: 'What was wrong with which value.' },
    },
    {
      details: { type: ['array', 'object'], description: 'For programs.' },
      stack: { ...text, description: 'Only with `server.exposeStack`.' },
    },
  ),
);

/** The fields of every response message (PROTO-10). */
export const ENVELOPE = named(
  'Response',
  object(
    {
      requestId: { ...text, description: 'That of the request, or one that the server made.' },
      status: { ...integer(200), maximum: 599 },
      error: orNull(ERROR),
      controller: orNull(text),
      action: orNull(text),
      index: orNull(text),
      collection: orNull(text),
      metadata: { type: 'object', description: 'That of the request.' },
      state: oneOf('done'),
      result: {},
    },
    {
      jwt: { ...text, description: 'The token used, from actions that repeat it.' },
      replayed: {
        const: true,
        description: 'The answer is that of an earlier request with the same idempotency key.',
      },
    },
  ),
);
