import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  AddressRanges,
  andThen,
  securityErrors,
  type MaybePromise,
  type MillraceError,
  type NetworkGuard,
  type StaticFiles,
} from '@millrace/kernel';
import type { BrowserPage } from './BrowserPages.js';

interface LoadedFile {
  readonly content: Buffer;
  /** Absent if it is not much smaller. */
  readonly gzipped?: Buffer;
  readonly contentType: string;
  readonly etag: string;
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const DEFAULT_TYPE = 'application/octet-stream';
const INDEX = 'index.html';
/** As bundlers write it: `main-4KX2PQ7A.js`. */
const HASHED = /-[A-Z0-9]{8}\.[^/]+$/;
const FOR_GOOD = 'public, max-age=31536000, immutable';
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

/**
 * Of a screen of the admin console: a page with another origin than the server's, also outside of the console, that
 * reaches nothing but its files.
 */
const SCREEN_HEADERS = {
  'Content-Security-Policy':
    "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
};

const compress = promisify(gzip);

/** The files of one `StaticFiles`, in memory from the first request on. */
export class StaticFolder {
  private readonly allowed: AddressRanges | undefined;
  private readonly headers: readonly string[];
  private loading: Promise<ReadonlyMap<string, LoadedFile>> | undefined;

  constructor(
    private readonly declared: StaticFiles,
    private readonly network: NetworkGuard,
  ) {
    const { allow, headers = {}, screen } = declared;
    this.allowed = allow === undefined ? undefined : new AddressRanges(allow);
    this.headers = Object.entries({ ...(screen && SCREEN_HEADERS), ...headers }).flat();
  }

  /**
   * @param segments of the path; the first one is that of the folder
   * @returns a refusal; undefined if no file has this path
   */
  find(request: IncomingMessage, segments: readonly string[]): MaybePromise<BrowserPage | MillraceError | undefined> {
    const refusal = this.refusalOf(request);
    if (refusal !== undefined) return refusal;
    // Relative links of the page are those of the folder only with a slash at the end.
    if (segments.length === 1) return redirectTo(`${segments[0]}/`);
    const name = segments.slice(1).join('/');
    return andThen((this.loading ??= this.load()), (files) => {
      const file = files.get(name === '' ? INDEX : name);
      return file === undefined ? undefined : this.toPage(file, request);
    });
  }

  private refusalOf(request: IncomingMessage): MillraceError | undefined {
    if (this.allowed === undefined) return undefined;
    const address = this.network.addressOf(request);
    // Behind a proxy that is not trusted every client has the address of the proxy.
    const isUnknown = address === request.socket.remoteAddress && FORWARDED.some((name) => name in request.headers);
    if (!isUnknown && this.allowed.has(address)) return undefined;
    const source = isUnknown ? `${address}, a proxy that http.trustedProxies does not list` : address;
    return securityErrors.address_refused({ path: this.declared.path, address: source });
  }

  private toPage(file: LoadedFile, { headers }: IncomingMessage): BrowserPage {
    const { content, gzipped, contentType, etag, isImmutable } = file;
    const caching = ['Cache-Control', isImmutable ? FOR_GOOD : 'no-cache', 'ETag', etag, 'Vary', 'Accept-Encoding'];
    const all = [...caching, ...this.headers];
    if (isListed(headers['if-none-match'], etag)) return { status: 304, contentType, content: '', headers: all };
    const isGzipped = gzipped !== undefined && acceptsGzip(headers['accept-encoding']);
    return isGzipped
      ? { contentType, content: gzipped, headers: [...all, 'Content-Encoding', 'gzip'] }
      : { contentType, content, headers: all };
  }

  private async load(): Promise<ReadonlyMap<string, LoadedFile>> {
    try {
      const { folder: declared } = this.declared;
      const folder = typeof declared === 'string' ? declared : fileURLToPath(declared);
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
      const toName = (path: string) => relative(folder, path).split(sep).map(encodeURIComponent).join('/');
      return new Map(await Promise.all(paths.map(async (path) => [toName(path), await loadFile(path)] as const)));
    } catch (error) {
      // The next request tries again.
      this.loading = undefined;
      throw error;
    }
  }
}

async function loadFile(path: string): Promise<LoadedFile> {
  const content = await readFile(path);
  const gzipped = await compress(content, { level: 9 });
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return {
    content,
    ...(gzipped.length < content.length * 0.9 && { gzipped }),
    contentType: TYPES[extname(path).toLowerCase()] ?? DEFAULT_TYPE,
    // Weak: both encodings have it.
    etag: `W/"${hash}"`,
    isImmutable: HASHED.test(path),
  };
}

function redirectTo(location: string): BrowserPage {
  const headers = ['Location', location, 'Cache-Control', 'no-cache'];
  return { status: 308, contentType: 'text/plain; charset=utf-8', content: '', headers };
}

function isListed(list: string | undefined, etag: string): boolean {
  return list?.split(',').some((each) => each.trim() === etag) === true;
}

function acceptsGzip(accepted: string | string[] | undefined): boolean {
  return String(accepted ?? '')
    .split(',')
    .some((each) => /^gzip(?!\s*;\s*q=0(?:\.0*)?$)/i.test(each.trim()));
}
