import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MaybePromise, Readiness } from '@millrace/kernel';

/** The state of the server that probes see. */
export interface ProbedServer {
  /** Absent: the server counts as started and ready. */
  readonly readiness: Readiness | undefined;
  readonly isStopping: () => boolean;
}

/** 200 or 503, and the reason in one word. */
type Health = readonly [status: 200 | 503, word: string];

const PAGES = new Map<string, (readiness?: Readiness) => MaybePromise<Health>>([
  // A blocked process doesn't answer at all.
  ['/livez', () => [200, 'alive']],
  [
    '/readyz',
    async (readiness) => {
      const word = (await readiness?.check()) ?? 'ready';
      return [word === 'ready' ? 200 : 503, word];
    },
  ],
  ['/startupz', (readiness) => (readiness?.hasStarted === false ? [503, 'starting'] : [200, 'started'])],
]);

/**
 * Answers a probe (HEALTH-1). A probe isn't a request: it isn't counted, it needs no right, and only its method and
 * path are read.
 * @param url path and query string below the root of the server
 * @returns false if this is no probe
 */
export function answerProbe(
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  { readiness, isStopping }: ProbedServer,
): boolean {
  const page = pageOf(request, url);
  if (page === undefined) return false;
  void (async () => {
    const [status, word] = await page(readiness);
    if (response.destroyed) return;
    response.writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': word.length + 1,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(isStopping() || hasBody(request) ? { Connection: 'close' } : undefined),
    });
    response.end(`${word}\n`);
  })();
  return true;
}

/** Whether a request to the root of the server is a probe. */
export function isProbe(request: IncomingMessage): boolean {
  return pageOf(request, request.url ?? '') !== undefined;
}

function pageOf({ method }: IncomingMessage, url: string) {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const mark = url.indexOf('?');
  return PAGES.get(mark < 0 ? url : url.slice(0, mark));
}

/** Bodies of probes aren't read, so that no request can follow on the connection. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
