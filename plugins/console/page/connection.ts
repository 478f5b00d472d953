import { createClient, type RequestOptions } from '@millrace/client';
import { follow } from '@millrace/client/follow';
import { realtime } from '@millrace/client/realtime';

/** The address of the server: one level above the page, also where an application mounts it below a path. */
export const SERVER_URL = new URL('..', location.href).href.replace(/\/$/, '');

/** The client of the console. The token is in memory only: a reload asks for a login again. */
export const client = createClient(SERVER_URL).with(realtime()).with(follow());

const refusalListeners = new Set<() => void>();
const { transport } = client;
client.transport = async (message, options) => {
  const answer = await transport(message, options);
  // Questions about the session itself are answered by the rights that are to be read again.
  if (answer.response.status === 403 && message.controller !== 'auth')
    for (const listener of refusalListeners) listener();
  return answer;
};

/** Calls the listener after the server has refused something for lack of a right. Returns the function that ends it. */
export function onRefusal(listener: () => void): () => void {
  refusalListeners.add(listener);
  return () => refusalListeners.delete(listener);
}

/** Content of a document, or any JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Runs any action, also those of plugins, and returns its result. */
export async function run<R = unknown>(action: string, fields: Fields = {}, options?: RequestOptions): Promise<R> {
  const [controller, name] = action.split('.');
  const message = { ...fields, controller, action: name };
  return ((await client.request(message as never, options)) as { readonly result: unknown }).result as R;
}
