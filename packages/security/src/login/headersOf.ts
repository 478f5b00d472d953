import type { AuthStrategy, Request } from '@millrace/kernel';

/**
 * The headers visible to a strategy. Over HTTP: the headers that the strategy declares, and `authorization` and
 * `cookie`, which are in the request's field `headers`. A message of another protocol may carry any header in that
 * field.
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
