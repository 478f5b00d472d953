import { custom, isJsonObject, parseJson, type Argument, type JsonObject } from '@millrace/kernel';

/** An object, or its JSON as a string: arguments in the address of a stream or a poll are strings. */
export function jsonArgument(what: string, maxBytes = Infinity): Argument<JsonObject> {
  const schema = { type: ['object', 'string'] };
  return custom(`${what}, or its JSON as a string`, schema, (value) => {
    const object = typeof value === 'string' ? parsed(value) : value;
    if (!isJsonObject(object)) return undefined;
    const isLimited = maxBytes < Infinity;
    return isLimited && Buffer.byteLength(JSON.stringify(object)) > maxBytes ? undefined : object;
  });
}

function parsed(text: string): unknown {
  const found = parseJson(Buffer.from(text));
  return 'value' in found ? found.value : undefined;
}
