import { createClient, type RequestOptions } from '@millrace/client';
import { follow } from '@millrace/client/follow';
import { realtime } from '@millrace/client/realtime';

/** The address of the server: one level above the page, also where an application mounts it below a path. */
export const SERVER_URL = new URL('..', location.href).href.replace(/\/$/, '');

/** The client of the console. The token is in memory only: a reload asks for a login again. */
export const client = createClient(SERVER_URL).with(realtime()).with(follow());

/** Content of a document, or any JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Runs any action, also those of plugins, and returns its result. */
export async function run<R = unknown>(action: string, fields: Fields = {}, options?: RequestOptions): Promise<R> {
  const [controller, name] = action.split('.');
  const message = { ...fields, controller, action: name };
  return ((await client.request(message as never, options)) as { readonly result: unknown }).result as R;
}
