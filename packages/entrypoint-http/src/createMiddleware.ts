import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpMiddleware, Logger } from '@millrace/kernel';
import type Koa from 'koa';
import type { HttpHandler } from './createHttpHandler.js';
import { isProbe } from './pages/answerProbe.js';

/**
 * Puts middleware of koa in front of a handler. koa and @koa/router are imported here alone, and cost requests nothing where
 * no middleware is registered: passing through koa takes some 7 µs.
 */
export async function createMiddleware(
  middleware: readonly HttpMiddleware[],
  log: Logger,
  handle: HttpHandler,
): Promise<HttpHandler> {
  if (middleware.length === 0) return handle;
  const { default: Application } = await import('koa');
  const app = new Application();
  const mountedUrls = new WeakMap<IncomingMessage, string>();
  app.on('error', (error: unknown) => log.error({ err: error }, 'HTTP middleware failed'));
  for (const each of middleware) app.use(typeof each === 'function' ? (each as Koa.Middleware) : await routesOf(each));
  app.use((koa) => {
    const { req, res } = koa;
    koa.respond = false;
    handle(req, res, mountedUrls.get(req));
    return whenAnswered(res);
  });
  const run = app.callback();
  return (request, response, mountedUrl) => {
    if (mountedUrl !== undefined) mountedUrls.set(request, mountedUrl);
    if (isProbe(request)) handle(request, response, mountedUrl);
    else void run(request, response);
  };
}

async function routesOf(declared: Exclude<HttpMiddleware, (...parts: never) => unknown>): Promise<Koa.Middleware> {
  const { Router } = await import('@koa/router');
  const router = new Router();
  declared.routes(router as never);
  return router.routes() as unknown as Koa.Middleware;
}

function whenAnswered(response: ServerResponse): Promise<void> {
  if (response.closed) return Promise.resolve();
  return new Promise((resolve) => response.once('close', resolve));
}
