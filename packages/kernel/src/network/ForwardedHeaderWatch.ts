import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '../contracts/runtime/Logger.js';

/**
 * Detects a proxy that isn't trusted: the forwarding headers of its requests are ignored, so all clients behind it
 * count as one address, for login limits too. Logs a warning once and reports it in `server.healthCheck`.
 */
export class ForwardedHeaderWatch {
  private header: string | undefined;

  constructor(
    private readonly log: Logger,
    private readonly hasTrustedProxies: boolean,
  ) {}

  /** Examines a request whose forwarding headers are ignored. */
  observe(peer: string, headers: IncomingHttpHeaders): void {
    if (this.header !== undefined) return;
    const hasUsual = headers['x-forwarded-for'] !== undefined;
    if (!hasUsual && headers.forwarded === undefined) return;
    this.header = hasUsual ? 'X-Forwarded-For' : 'Forwarded';
    const problem = this.hasTrustedProxies
      ? `http.trustedProxies doesn't contain ${peer}`
      : 'http.trustedProxies is empty';
    this.log.warn(
      { remoteAddress: peer, header: this.header },
      `requests carry ${this.header} but ${problem}: every client behind it counts as ${peer}, in the limits on logins too`,
    );
  }

  /**
   * For `server.healthCheck`, which needs no login, so without the address. Undefined if there is nothing to report.
   */
  get warning(): string | undefined {
    if (this.header === undefined) return undefined;
    return `${this.header} of an untrusted proxy is ignored: its clients share one address. Set http.trustedProxies`;
  }
}
