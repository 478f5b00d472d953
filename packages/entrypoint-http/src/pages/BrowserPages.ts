import type { IncomingMessage } from 'node:http';
import type { ActionTable, StaticFiles } from '@millrace/kernel';
import type { RequestTarget } from '../request/parseTarget.js';
import type { ResponseHeaders } from '../response/ResponseHeaders.js';
import { ICON } from './ICON.js';
import { START_PAGE_POLICY, startPage } from './startPage.js';

/** Content for a browser, not the answer of an action. */
export interface BrowserPage {
  /** Default 200. */
  readonly status?: number;
  readonly contentType: string;
  readonly content: Buffer | string;
  readonly headers: ResponseHeaders;
}

const FAVICON: BrowserPage = {
  contentType: 'image/svg+xml',
  content: ICON,
  headers: ['Cache-Control', 'public, max-age=86400'],
};

const HOST = /^[\w.:[\]-]{1,255}$/;

/** The content that browsers request by default: a page at the root, if they accept HTML, and the icon. */
export class BrowserPages {
  private paths: ReadonlySet<string> | undefined;

  constructor(
    private readonly serviceName: string,
    private readonly actions: ActionTable,
    private readonly files: readonly StaticFiles[] = [],
  ) {}

  /** @returns undefined if the request is for an action */
  find(request: IncomingMessage, { segments }: RequestTarget): BrowserPage | undefined {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    if (segments.length === 1 && segments[0] === 'favicon.ico') return FAVICON;
    const isRoot = segments.length === 0;
    return isRoot && prefersHtml(request.headers.accept ?? '') ? this.start(request) : undefined;
  }

  private start(request: IncomingMessage): BrowserPage {
    this.paths ??= new Set([
      ...this.files.map(({ path }) => path),
      ...[...this.actions].flatMap(({ routes }) =>
        routes.filter(({ method }) => method === 'GET').map(({ path }) => path),
      ),
    ]);
    const { host = '' } = request.headers;
    const content = startPage({
      serviceName: this.serviceName,
      paths: this.paths,
      prefix: prefixOf(request),
      host: HOST.test(host) ? host : '127.0.0.1:7511',
    });
    const headers = [
      ...['Cache-Control', 'no-store'],
      ...['Content-Security-Policy', START_PAGE_POLICY],
      ...['Vary', 'Accept'],
    ];
    return { contentType: 'text/html; charset=utf-8', content, headers };
  }
}

/** Whether HTML comes before JSON in `Accept`, as browsers send it; `*` alone means JSON. */
function prefersHtml(accept: string): boolean {
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  const html = types.indexOf('text/html');
  const json = types.indexOf('application/json');
  return html >= 0 && (json < 0 || html < json);
}

/** Links are relative to the page: the path `/api` in another application has no trailing slash. */
function prefixOf(request: IncomingMessage): string {
  // The full URL, which routers of other applications keep before they remove their own path from it.
  const { originalUrl } = request as { readonly originalUrl?: unknown };
  const [path = ''] = (typeof originalUrl === 'string' ? originalUrl : (request.url ?? '')).split('?');
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === '' ? '' : `${last}/`;
}
