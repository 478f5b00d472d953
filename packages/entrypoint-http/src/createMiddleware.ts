import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpMiddleware, Logger } from '@millrace/kernel';
import type Koa from 'koa';
import type { HttpHandler } from './createHttpHandler.js';
import { isProbe } from './pages/answerProbe.js';

/**
 * Puts middleware of koa in front of a handler. koa is imported here alone, and costs requests nothing where no
 * middleware is registered: passing through it takes some 7 µs.
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
  for (const each of middleware) app.use(each as Koa.Middleware);
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

function whenAnswered(response: ServerResponse): Promise<void> {
  if (response.closed) return Promise.resolve();
  return new Promise((resolve) => response.once('close', resolve));
}
