/**
 * A middleware of koa in front of the HTTP entrypoint (`KernelOptions.middleware`): `router.routes()` of @koa/router is
 * one, too. Called for each request in the order of the list, before any check of Millrace; probes are answered without
 * it. `next()` resolves when the answer is complete or its client has disconnected. What it throws is answered by koa.
 * It has no time limit, and must leave the body of a request that it passes on unread. The context is koa's
 * (`Koa.Context` of `@types/koa`).
 */
export type HttpMiddleware = (context: never, next: () => Promise<unknown>) => unknown;
