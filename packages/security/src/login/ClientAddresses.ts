import { isLoopback, LOGGER, toAddressKey, type Logger } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** So many accounts from one address, and none from another: few offices begin their day like that. */
const MIN_ACCOUNTS = 5;

/**
 * Notices when all clients seem to have one address, as behind a proxy that this server doesn't know of: then limits per
 * address hold for all clients together, and anybody can lock anybody out. Logins are observed since the start; loopback
 * addresses don't count, since programs and tests on the same machine have them too.
 */
@scoped(Scope.ContainerScoped)
export class ClientAddresses {
  private address: string | undefined;
  private readonly accounts = new Set<string>();
  private areSeveral = false;

  constructor(@inject(LOGGER) private readonly log: Logger) {}

  /** For `server.healthCheck`, without the address: anybody may read it. Null where nothing seems to be wrong. */
  get warning(): string | null {
    const isSuspicious = !this.areSeveral && this.accounts.size >= MIN_ACCOUNTS;
    if (!isSuspicious) return null;
    return 'all clients arrive from one address: if that is a proxy, set http.trustedProxies, else limits per address hold for all clients together';
  }

  /** A successful login. */
  observe(remoteAddress: string, userId: string): void {
    if (this.areSeveral || isLoopback(remoteAddress)) return;
    this.address ??= remoteAddress;
    if (toAddressKey(remoteAddress) !== toAddressKey(this.address)) {
      this.areSeveral = true;
      this.accounts.clear();
      return;
    }
    if (this.accounts.size >= MIN_ACCOUNTS) return;
    this.accounts.add(userId);
    const { warning, address } = this;
    if (warning !== null) this.log.warn({ remoteAddress: address }, warning);
  }
}
