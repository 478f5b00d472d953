import { isLoopback, LOGGER, toAddressKey, type Logger } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** This many accounts from one address and none from any other: few offices look like that. */
const MIN_ACCOUNTS = 5;

/**
 * Detects that all clients appear to share one address, as behind a proxy that isn't configured. Limits per address
 * then apply to all clients together, and anyone can lock everyone out. Logins are observed since the start; loopback
 * addresses don't count, since local programs and tests use them too.
 */
@scoped(Scope.ContainerScoped)
export class ClientAddresses {
  private address: string | undefined;
  private readonly accounts = new Set<string>();
  private areSeveral = false;

  constructor(@inject(LOGGER) private readonly log: Logger) {}

  /**
   * The message for `server.healthCheck`, without the address, because anyone may read it. Null if no problem was
   * detected.
   */
  get warning(): string | null {
    const isSuspicious = !this.areSeveral && this.accounts.size >= MIN_ACCOUNTS;
    if (!isSuspicious) return null;
    return 'all clients arrive from one address: if that is a proxy, set http.trustedProxies, else limits per address hold for all clients together';
  }

  /** Records a successful login. */
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
