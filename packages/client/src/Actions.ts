import type { ActionMap } from '@millrace/actions';
import type { RequestOptions } from './Request.js';

type Fields<D> = D extends { readonly fields: infer F } ? F : never;
type Result<D> = D extends { readonly result: infer R } ? R : never;

type Call<D> =
  Record<never, never> extends Fields<D>
    ? (fields?: Fields<D>, options?: RequestOptions) => Promise<Result<D>>
    : (fields: Fields<D>, options?: RequestOptions) => Promise<Result<D>>;

/**
 * Every action of the server as a function: `client.actions.shop.price({ article: 'a' })` returns its result. Plugins add
 * theirs to `ActionMap` by declaration merging; `npx millrace types` writes them.
 */
export type Actions = {
  readonly [C in keyof ActionMap]: { readonly [A in keyof ActionMap[C]]: Call<ActionMap[C][A]> };
};

type Send = (controller: string, action: string, fields: object, options?: RequestOptions) => unknown;

/** The functions are made when they are used: actions of plugins need no release of the client. */
export function createActions(send: Send): Actions {
  const controllers: Record<string, object> = {};
  const onController = (controller: string) =>
    new Proxy(
      {},
      {
        get: (_, action) =>
          // A promise has `then`; what is awaited by mistake must not become a request.
          typeof action === 'symbol' || action === 'then'
            ? undefined
            : (fields: object = {}, options?: RequestOptions) => send(controller, action, fields, options),
      },
    );
  return new Proxy(controllers, {
    get: (_, controller) =>
      typeof controller === 'symbol' || controller === 'then'
        ? undefined
        : (controllers[controller] ??= onController(controller)),
  }) as unknown as Actions;
}
