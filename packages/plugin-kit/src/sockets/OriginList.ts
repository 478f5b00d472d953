import type { IncomingHttpHeaders } from 'node:http';
import { parseOrigins } from '../config/origins.js';
import { securityErrors, type MillraceError } from '@millrace/kernel';

const SHOWN_LENGTH = 100;

/**
 * The origins whose pages may open a WebSocket. Replaces CORS, which browsers don't apply to WebSockets. Holds whether
 * or not the server is open.
 */
export class OriginList {
  private readonly origins: '*' | ReadonlySet<string>;

  /**
   * @param key of the configuration, for the message
   * @param origins `*`, one origin, or several as a list or separated by commas; empty: none
   */
  constructor(
    private readonly key: string,
    origins: string | readonly string[],
  ) {
    const parsed = parseOrigins(origins) ?? [];
    this.origins = parsed === '*' ? '*' : new Set(parsed);
  }

  /**
   * Checks a handshake. A client may connect if it sends no `Origin` (no browser), one from the list, or that of the
   * address it connects to (CORS doesn't restrict a site's own pages either).
   * @returns security.origin_refused (403); undefined: accept
   */
  refusalOf(headers: IncomingHttpHeaders): MillraceError | undefined {
    const origin = headers.origin ?? headers['sec-websocket-origin'];
    if (this.origins === '*' || origin === undefined) return undefined;
    const shown = String(origin).toLowerCase();
    if (this.origins.has(shown) || isOwn(shown, headers.host)) return undefined;
    const reason = `${this.key} doesn't list ${JSON.stringify(shown.slice(0, SHOWN_LENGTH))}`;
    return securityErrors.origin_refused({ reason });
  }
}

function isOwn(origin: string, host: string | undefined): boolean {
  return host !== undefined && /^https?:\/\/(.*)$/.exec(origin)?.[1] === host.toLowerCase();
}
