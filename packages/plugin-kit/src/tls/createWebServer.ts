import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TlsFiles } from './TlsFiles.js';

/** Creates the HTTP server of an entrypoint, with TLS if there are files for it. */
export function createWebServer(tls: TlsFiles | undefined, options: ServerOptions, listener?: RequestListener): Server {
  if (tls === undefined) return createServer(options, listener);
  return createTlsServer({ ...options, ...tls.options }, listener);
}
