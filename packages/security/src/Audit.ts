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
import { inject, injectable } from 'tsyringe';

/**
 * What happened to accounts and rights, as one log line and one event each. Neither ever holds a secret: no password, no
 * token, no credentials (research/reliability.md, ASVS V16).
 */
@injectable()
export class Audit {
  private readonly log: Logger;

  constructor(
    @inject(LOGGER) log: Logger,
    @inject(HOOKS) private readonly hooks: Hooks,
  ) {
    this.log = log.child({ audit: true });
  }

  loggedIn(event: EventMap['auth.loggedIn']): void {
    const { session, strategy, connection } = event;
    this.log.info({ ...peer(connection), strategy, ...shown(session) }, 'logged in');
    this.hooks.emit('auth.loggedIn', event);
  }

  loginFailed(event: EventMap['auth.loginFailed']): void {
    const { strategy, account, reason, connection } = event;
    this.log.warn({ ...peer(connection), strategy, account, reason }, 'login failed');
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

  profileChanged(change: SecurityChange): void {
    this.log.info({ ...change }, 'profile changed');
    this.hooks.emit('security.profileChanged', change);
  }

  roleChanged(change: SecurityChange): void {
    this.log.info({ ...change }, 'role changed');
    this.hooks.emit('security.roleChanged', change);
  }

  denied(request: Request, target: Target): void {
    const { controller, action, index, collection, id } = target;
    const { requestId, user, connection } = request;
    const what = { controller, action, index, collection, id };
    this.log.info({ ...peer(connection), requestId, userId: user._id, ...what }, 'denied');
    this.hooks.emit('security.denied', { request, target });
  }
}

function peer({ protocol, remoteAddress }: Connection): object {
  return { protocol, remoteAddress };
}

function shown({ userId, tokenId }: { readonly userId: string; readonly tokenId: string }): object {
  return { userId, tokenId };
}
