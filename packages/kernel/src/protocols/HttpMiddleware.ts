/**
 * A middleware of koa in front of the HTTP entrypoint (`KernelOptions.middleware`), or routes that it adds to a router of
 * @koa/router: `{ routes: (router) => router.get('/hello', …) }`. Called for each request in the order of the list, before
 * any check of Millrace; probes are answered without it. `next()` resolves when the answer is complete or its client has
 * disconnected. What it throws is answered by koa. It has no time limit, and must leave the body of a request that it
 * passes on unread. The context is koa's (`Koa.Context` of `@types/koa`), the router `Router` of `@koa/router`.
 */
export type HttpMiddleware =
  ((context: never, next: () => Promise<unknown>) => unknown) | { routes(router: never): void };
