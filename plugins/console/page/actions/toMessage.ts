import { SERVER_URL, type Fields } from '../connection.js';
import { parseJson, parseObject, type JsonProblem } from '../kit/JsonField.jsx';
import type { ActionEntry, Input } from './ActionCatalog.js';

/** The fields of a message, or what is wrong with the form. */
export type Made = { readonly fields: Fields } | { readonly problem: JsonProblem; readonly input: string };

/** The name of the text field for further content of the body. */
export const CONTENT = ' content';

/** The message of a form. @param values text by the names of inputs */
export function toFields({ inputs, takesContent }: ActionEntry, values: Readonly<Record<string, string>>): Made {
  const fields: Record<string, unknown> = {};
  let body: Record<string, unknown> = {};
  if (takesContent) {
    const parsed = parseObject(values[CONTENT] ?? '');
    if ('problem' in parsed) return { ...parsed, input: CONTENT };
    body = { ...parsed.value };
  }
  for (const input of inputs) {
    const text = values[idOf(input)] ?? '';
    if (text === '') {
      if (input.isRequired && !(input.name in body))
        return { problem: { message: `${input.name} is required` }, input: idOf(input) };
      continue;
    }
    const read = readValue(input, text);
    if ('problem' in read) return { ...read, input: idOf(input) };
    if (input.place === 'body') body[input.name] = read.value;
    else fields[input.name] = read.value;
  }
  return { fields: Object.keys(body).length === 0 ? fields : { ...fields, body } };
}

/** Unique among the inputs of an action: a name may be both an argument and a member of the body. */
export function idOf({ place, name }: Input): string {
  return `${place}.${name}`;
}

function readValue(
  { kind, name }: Input,
  text: string,
): { readonly value: unknown } | { readonly problem: JsonProblem } {
  if (kind === 'text' || kind === 'choice') return { value: text };
  if (kind === 'boolean') return { value: text === 'true' };
  if (kind === 'number') {
    return Number.isFinite(Number(text))
      ? { value: Number(text) }
      : { problem: { message: `${name}: expected a number` } };
  }
  return parseJson(text);
}

/** The call for a shell; the token is a variable. */
export function toCurl({ method, path, name, inputs }: ActionEntry, fields: Fields): string {
  const { body, ...rest } = fields;
  const [controller, action] = name.split('.');
  if (method === undefined || path === undefined) {
    return curl('POST', `/_message/${controller}/${action}`, fields);
  }
  const inPath = inputs.filter(({ place }) => place === 'path').map((input) => input.name);
  const filled = path.replace(/\{([^}]+)\}/g, (whole, part: string) => {
    const value = rest[part];
    return value === undefined ? whole : encodeURIComponent(toWord(value)).replace(/^_/, '%5F');
  });
  const query = Object.entries(rest)
    .filter(([key]) => !inPath.includes(key))
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(toWord(value))}`);
  return curl(method, `${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`, body);
}

function toWord(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function curl(method: string, path: string, body: unknown): string {
  const head = `curl -X ${method} '${SERVER_URL}${path.replaceAll("'", '%27')}' -H "Authorization: Bearer $TOKEN"`;
  if (body === undefined) return head;
  const text = JSON.stringify(body).replaceAll("'", "'\\''");
  return `${head} \\\n  -H 'Content-Type: application/json' -d '${text}'`;
}

/** The call for a program with the client. */
export function toTypeScript({ name }: ActionEntry, fields: Fields): string {
  return `const result = await client.actions.${name}(${JSON.stringify(fields, null, 2)});`;
}

/** The message for every other protocol. */
export function toMessage({ name }: ActionEntry, fields: Fields): string {
  const [controller, action] = name.split('.');
  return JSON.stringify({ controller, action, ...fields }, null, 2);
}
