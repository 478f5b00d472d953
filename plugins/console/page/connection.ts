import { createClient, type RequestOptions } from '@millrace/client';
import { follow } from '@millrace/client/follow';
import { realtime } from '@millrace/client/realtime';
import { Renewal } from './Renewal.js';
import { tabStore } from './tabStore.js';

/** The address of the server: one level above the page, also where an application mounts it below a path. */
export const SERVER_URL = new URL('..', location.href).href.replace(/\/$/, '');

const store = tabStore();
const renewal = new Renewal(SERVER_URL, store);

/** The client of the console. Its token is in memory only; after a reload `restoreSession` gets it again. */
export const client = createClient(SERVER_URL, { auth: store }).with(realtime()).with(follow());

const refusalListeners = new Set<() => void>();
const { transport } = client;
client.transport = async (message, options) => {
  if (message.controller === 'auth' && message.action === 'refreshToken') {
    // By the cookie, which follows the token: a token that is renewed without it would end the session of the cookie.
    const jwt = await renewal.renewed();
    if (jwt !== null) return { response: { status: 200, requestId: '', error: null, result: { jwt } } as never };
  }
  const answer = await transport(message, options);
  // Questions about the session itself are answered by the rights that are to be read again.
  if (answer.response.status === 403 && message.controller !== 'auth')
    for (const listener of refusalListeners) listener();
  return answer;
};

/** Continues the session of this browser, if there is one. */
export async function restoreSession(): Promise<void> {
  if ((await store.get()) === null) await renewal.restore();
}

/** Lets the present session survive reloads; that of an API key doesn't. */
export async function keepSession(): Promise<void> {
  const token = await client.session.peek();
  if (token !== null) await renewal.begin(token);
}

/** Calls the listener after another tab has begun, renewed or ended the session. Returns the function that ends it. */
export function onOtherTab(listener: () => void): () => void {
  return store.onChange?.(listener) ?? (() => undefined);
}

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
