import { MillraceClient, type Client, type ClientOptions } from './MillraceClient.js';
import type { AnySchema, SchemaLike } from './schema/Schema.js';

/**
 * Creates a client of a Millrace server. Opens nothing.
 *
 * ```ts
 * const client = createClient<Schema>('http://127.0.0.1:7511');
 * const station = await client.collection('city', 'stations').get('s-1');
 * ```
 * @param url address of the HTTP port; also below a path, where the server is mounted in another application
 */
export function createClient<S extends SchemaLike = AnySchema>(url: string, options: ClientOptions = {}): Client<S> {
  return new MillraceClient<S>(url, options);
}
