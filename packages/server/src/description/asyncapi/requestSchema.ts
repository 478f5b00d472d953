import { schema, type ActionDefinition, type JsonObject } from '@millrace/kernel';

const { text } = schema;

/** Fields of every request message (PROTO-1). */
const REQUEST_FIELDS: JsonObject = schema.named('Request', {
  type: 'object',
  required: ['controller', 'action'],
  properties: {
    requestId: { ...text, minLength: 1, maxLength: 128, pattern: '^[ -~]+$' },
    controller: text,
    action: text,
    metadata: { type: 'object', description: 'Comes back in the response and in notifications.' },
    jwt: { ...text, description: 'The token; or `headers.authorization`.' },
    idempotencyKey: {
      ...text,
      description: 'Executes a write once, however often it is sent within 24 hours.',
      minLength: 1,
      maxLength: 128,
      pattern: '^[!-~]+$',
    },
    headers: { type: 'object', properties: { authorization: text } },
  },
});

/**
 * The schema of an action's request message.
 * @param aliases other names of its controller (PROTO-4)
 */
export function requestSchema(action: ActionDefinition, aliases: readonly string[]): JsonObject {
  const { controller, args, content, bodyRequired } = action;
  const named = Object.entries(args);
  const properties = named.map(([name, { schema: own, expected }]): [string, JsonObject] => [
    name,
    { ...own, description: expected },
  ]);
  const atTop = named.filter(([, { required, inBody }]) => required && !inBody);
  const required = [...atTop.map(([name]) => name), ...(bodyRequired === true ? ['body'] : [])];
  const body = bodyOf(
    named.filter(([, { inBody }]) => inBody).map(([name]) => name),
    content,
  );
  const either = named.filter(([, each]) => each.required && each.inBody).map(([name]) => inEither(name));
  return {
    allOf: [
      REQUEST_FIELDS,
      {
        type: 'object',
        ...(required.length === 0 ? undefined : { required }),
        properties: {
          controller: { enum: [controller, ...aliases] },
          action: { const: action.action },
          ...Object.fromEntries(properties),
          ...(body === undefined ? undefined : { body }),
        },
      },
      ...either,
    ],
  };
}

function bodyOf(inBody: readonly string[], content: JsonObject | undefined): JsonObject | undefined {
  if (content !== undefined) return content;
  if (inBody.length === 0) return undefined;
  const names = inBody.map((name) => `\`${name}\``).join(', ');
  return { type: 'object', description: `May hold ${names} in place of the top of the message.` };
}

/** A required argument that may be sent at the top level or in the body. */
function inEither(name: string): JsonObject {
  const isThere = { required: [name] };
  return { anyOf: [isThere, { required: ['body'], properties: { body: isThere } }] };
}
