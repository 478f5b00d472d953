import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { toList, writeJsonSchema } from './writeJsonSchema.js';
import { objectAt } from '../valueAt.js';
import { KNOWN_CONTROLLERS } from '../actions/KNOWN_CONTROLLERS.js';
import { writeName } from './writeFields.js';

/**
 * The actions of plugins as an addition to `ActionMap`; empty if there are none.
 * @param description the AsyncAPI document of the server
 */
export function writeActions(description: JsonObject): string {
  const components = objectAt(description, 'components');
  const messages = objectAt(components, 'messages');
  const schemas = objectAt(components, 'schemas');
  const controllers = new Map<string, string[]>();
  for (const [name, message] of Object.entries(messages)) {
    const [controller = '', action = '', kind] = name.split('.');
    if (kind !== 'request' || KNOWN_CONTROLLERS.includes(controller)) continue;
    const response = objectAt(messages, `${controller}.${action}.response`);
    const fields = writeJsonSchema(fieldsOf(objectAt(message, 'payload')), schemas);
    const result = writeJsonSchema(resultOf(objectAt(response, 'payload')), schemas);
    const lines = controllers.get(controller) ?? [];
    controllers.set(controller, lines);
    lines.push(`      ${writeName(action)}: { fields: ${fields}; result: ${result} };`);
  }
  if (controllers.size === 0) return '';
  const parts = [...controllers].map(([name, lines]) => `    ${writeName(name)}: {\n${lines.join('\n')}\n    };`);
  return `declare module '@millrace/client' {\n  interface ActionMap {\n${parts.join('\n')}\n  }\n}\n`;
}

/** The fields of a request message apart from those of every message. */
function fieldsOf({ allOf }: JsonObject): JsonObject {
  const own = toList(allOf).find((part) => objectAt(part, 'properties').action !== undefined) ?? {};
  const { controller: _, action: __, ...properties } = objectAt(own, 'properties');
  return { ...(own as JsonObject), properties };
}

/** The result of a successful response: the first alternative of the message. */
function resultOf({ anyOf }: JsonObject): JsonValue | undefined {
  const [success] = toList(anyOf);
  const parts = isJsonObject(success) ? toList(success.allOf) : [];
  return objectAt(parts.at(-1) ?? {}, 'properties').result;
}
