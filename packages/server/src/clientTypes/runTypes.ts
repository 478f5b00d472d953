import { parseArgs } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { writeClientTypes, type DescribedCollection } from './writeClientTypes.js';

const USAGE = `millrace types [--url URL] [--token TOKEN] [--single] > millrace.d.ts

Prints the collections of a running server, and the actions of its plugins, as types for @millrace/client.

  --url     address of the server [http://127.0.0.1:7511]
  --token   a token that may read mappings and specifications; or in MILLRACE_TOKEN
  --single  fields of mappings hold one value: T in place of T | T[]
`;

/**
 * `millrace types`: reads mappings, specifications and actions of a running server.
 * @returns the types, or the usage for `--help`
 * @throws Error with a message for the terminal
 */
export async function runTypes(args: readonly string[], ownToken = ''): Promise<string> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:7511' },
      token: { type: 'string', default: ownToken },
      single: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return USAGE;
  const ask = asker(values.url.replace(/\/+$/, ''), values.token);
  const collections: DescribedCollection[] = [];
  const { indexes } = (await ask('index', 'list', {})) as { indexes: string[] };
  for (const index of indexes) {
    const listed = await ask('collection', 'list', { index, type: 'stored' });
    const { collections: found } = listed as unknown as { collections: { name: string }[] };
    for (const { name } of found) collections.push(await describe(ask, index, name));
  }
  const description = await ask('server', 'asyncapi', {});
  return writeClientTypes(collections, isJsonObject(description) ? description : {}, values.single);
}

type Ask = (controller: string, action: string, fields: JsonObject) => Promise<JsonValue>;

async function describe(ask: Ask, index: string, collection: string): Promise<DescribedCollection> {
  const mapping = await ask('collection', 'getMapping', { index, collection });
  const specification = await ask('collection', 'getSpecifications', { index, collection });
  const at = (value: JsonValue, ...path: readonly string[]) =>
    path.reduce<JsonValue>(
      (inner, key) => (isJsonObject(inner) ? (inner[key] ?? null) : null),
      value,
    );
  const properties = at(mapping, index, 'mappings', collection, 'properties');
  const specified = at(specification, 'validation', 'fields');
  return {
    index,
    name: collection,
    properties: isJsonObject(properties) ? properties : {},
    specified: isJsonObject(specified) ? specified : null,
  };
}

/** Runs actions over HTTP. A missing specification is null. */
function asker(url: string, token: string): Ask {
  return async (controller, action, fields) => {
    const response = await fetch(`${url}/_message/${controller}/${action}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? undefined : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(fields),
    }).catch((error: unknown) => {
      const { cause, message } = error as Error;
      throw new Error(
        `${url} does not answer: ${cause instanceof Error ? cause.message : message}`,
      );
    });
    const answer = (await response.json().catch(() => null)) as JsonValue;
    if (!isJsonObject(answer)) throw new Error(`${url} is not a Millrace server`);
    const { error, result } = answer;
    // The description of the messages comes as it is.
    if (response.ok) return result ?? answer;
    if (isJsonObject(error) && error.id === 'validation.no_specification') return null;
    const reason = isJsonObject(error) ? JSON.stringify(error.message) : 'no Millrace server';
    const hint = response.status === 401 || response.status === 403 ? ' Pass a token with --token or MILLRACE_TOKEN.' : ''; // prettier-ignore
    throw new Error(
      `${url} refused ${controller}.${action} (${response.status}): ${reason}.${hint}`,
    );
  };
}
