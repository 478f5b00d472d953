import {
  HOOKS,
  LOGGER,
  type Connection,
  type EventMap,
  type Hooks,
  type Logger,
  type Request,
  type SecurityChange,
  type Target,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { LogBudget } from './LogBudget.js';

const MAX_VALUE_LENGTH = 128;

/**
 * Writes one log line and emits one event for each change of accounts and rights. Neither contains secrets: no
 * passwords, tokens or credentials. Log lines that strangers can cause at will (failed logins, denied requests) are
 * bounded: values are cut at 128 characters and lines are limited per address. Events aren't bounded.
 */
@scoped(Scope.ContainerScoped)
export class Audit {
  private readonly log: Logger;
  private readonly failures: LogBudget;
  private readonly refusals: LogBudget;

  constructor(
    @inject(LOGGER) log: Logger,
    @inject(HOOKS) private readonly hooks: Hooks,
  ) {
    this.log = log.child({ audit: true });
    // Separate budgets: a flood of one kind must not hide the other.
    this.failures = new LogBudget((fields) => this.log.warn(fields, 'more failed logins'));
    this.refusals = new LogBudget((fields) => this.log.info(fields, 'more refusals'));
  }

  /** Logs the counts of suppressed lines so far. */
  stop(): void {
    this.failures.flush();
    this.refusals.flush();
  }

  loggedIn(event: EventMap['auth.loggedIn']): void {
    const { session, strategy, connection } = event;
    this.log.info({ ...peer(connection), strategy, ...shown(session) }, 'logged in');
    this.hooks.emit('auth.loggedIn', event);
  }

  loginFailed(event: EventMap['auth.loginFailed']): void {
    const { strategy, account, reason, connection } = event;
    if (this.failures.take(connection.remoteAddress)) {
      const fields = { ...peer(connection), strategy, account: cut(account), reason };
      this.log.warn(fields, 'login failed');
    }
    this.hooks.emit('auth.loginFailed', event);
  }

  loggedOut(event: EventMap['auth.loggedOut']): void {
    this.log.info({ ...peer(event.connection), ...shown(event.session) }, 'logged out');
    this.hooks.emit('auth.loggedOut', event);
  }

  tokenRefreshed(event: EventMap['auth.tokenRefreshed']): void {
    const { previous, session, connection } = event;
    const fields = { ...peer(connection), ...shown(session), previousTokenId: previous.tokenId };
    this.log.info(fields, 'token refreshed');
    this.hooks.emit('auth.tokenRefreshed', event);
  }

  tokensRevoked(event: EventMap['auth.tokensRevoked']): void {
    this.log.info({ ...event }, 'tokens revoked');
    this.hooks.emit('auth.tokensRevoked', event);
  }

  userChanged(change: SecurityChange): void {
    this.log.info({ ...change }, 'user changed');
    this.hooks.emit('security.userChanged', change);
  }

  recordChanged(noun: 'role' | 'profile', change: SecurityChange): void {
    this.log.info({ ...change }, `${noun} changed`);
    this.hooks.emit(noun === 'role' ? 'security.roleChanged' : 'security.profileChanged', change);
  }

  apiKeyChanged(change: EventMap['security.apiKeyChanged']): void {
    this.log.info({ ...change }, 'API key changed');
    this.hooks.emit('security.apiKeyChanged', change);
  }

  denied(request: Request, target: Target): void {
    const { controller, action, index, collection, id } = target;
    const { requestId, user, connection } = request;
    if (this.refusals.take(connection.remoteAddress)) {
      const names = { index, collection, id: cut(id) };
      const fields = { requestId: cut(requestId), userId: cut(user._id), controller, action };
      this.log.info({ ...peer(connection), ...fields, ...names }, 'denied');
    }
    this.hooks.emit('security.denied', { request, target });
  }
}

/** Request and account ids may be long. */
function cut(value: string | null): string | null {
  if (value === null || value.length <= MAX_VALUE_LENGTH) return value;
  return `${value.slice(0, MAX_VALUE_LENGTH)}…`;
}

function peer({ protocol, remoteAddress }: Connection): object {
  return { protocol, remoteAddress };
}

function shown({ userId, tokenId }: { readonly userId: string; readonly tokenId: string }): object {
  return { userId, tokenId };
}
