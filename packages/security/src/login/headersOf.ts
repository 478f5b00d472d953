import type { AuthStrategy, Request } from '@millrace/kernel';

/**
 * The headers that a strategy may see: over HTTP those it declares, `authorization` and `cookie`, which the request has in
 * its field `headers`; a message of another protocol has any in that field.
 */
export function headersOf(
  { headers: declared = [] }: AuthStrategy,
  { connection, headers }: Request,
): Readonly<Record<string, string>> {
  const ofMessage = Object.entries(headers ?? {});
  const ofExchange = declared.map((name) => [name, connection.header?.(name)] as const);
  const texts = [...ofMessage, ...ofExchange].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  );
  return Object.fromEntries(texts);
}
