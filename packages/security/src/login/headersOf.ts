import { isJsonObject, type AuthStrategy, type Request } from '@millrace/kernel';

/**
 * The headers that a strategy may see: over HTTP those it declares, `authorization` and `cookie`, which the request has in
 * its field `headers`; a message of another protocol has any in that field.
 */
export function headersOf(
  { headers: declared = [] }: AuthStrategy,
  { connection, fields }: Request,
): Readonly<Record<string, string>> {
  const sent = Object.hasOwn(fields, 'headers') ? fields['headers'] : undefined;
  const ofMessage = Object.entries(isJsonObject(sent) ? sent : {});
  const ofExchange = declared.map((name) => [name, connection.header?.(name)] as const);
  const texts = [...ofMessage, ...ofExchange].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  );
  return Object.fromEntries(texts);
}
