/*
 * Shares users, profiles, roles, tokens and API keys between nodes (docs/decisions/0011). Each change is stored before it is
 * announced; other nodes drop their cached copies, and the request that made the change is answered once they have.
 * Failed logins are shared too, so that limits hold for the whole cluster.
 */
import {
  HOOKS,
  isJsonObject,
  LOGGER,
  malformedMessage,
  NODE_LINK,
  readNodeMessage,
  type Hooks,
  type JsonObject,
  type Lifecycle,
  type Logger,
  type NodeLink,
  type Session,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { FAILURE, LoginLimits } from './limits/LoginLimits.js';
import { SecurityCaches } from './SecurityCaches.js';
import { Tokens, type SessionClaims } from './tokens/Tokens.js';

const USER = 'security.user';
const PROFILE = 'security.profile';
const ROLE = 'security.role';
const API_KEY = 'security.apiKey';
const REVOKED = 'security.revoked';
const REFRESHED = 'security.refreshed';
/** First delay, in milliseconds, before revocations are read again; doubled up to the maximum. */
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;

/** Announces changes of this node to the others, and drops data that others have changed. */
@scoped(Scope.ContainerScoped)
export class SecuritySharing implements Lifecycle {
  private retryTimer: NodeJS.Timeout | undefined;

  constructor(
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(HOOKS) private readonly hooks: Hooks,
    @inject(SecurityCaches) private readonly caches: SecurityCaches,
    @inject(Tokens) private readonly tokens: Tokens,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Call before the link starts. */
  async start(): Promise<void> {
    if (!this.link.isClustered) return;
    this.announceChanges();
    this.receiveChanges();
  }

  async stop(): Promise<void> {
    clearTimeout(this.retryTimer);
  }

  private announceChanges(): void {
    const { hooks, link } = this;
    const own = 'security';
    hooks.add('security.userChanged', own, ({ id }) => link.announce(USER, id, ''));
    hooks.add('auth.tokensRevoked', own, ({ userId, exceptTokenId }) => {
      link.announce(USER, userId, JSON.stringify({ exceptTokenId }));
    });
    hooks.add('security.profileChanged', own, ({ id }) => link.announce(PROFILE, id, ''));
    hooks.add('security.roleChanged', own, ({ id }) => link.announce(ROLE, id, ''));
    hooks.add('security.apiKeyChanged', own, ({ keyId, userId }) => {
      link.announce(API_KEY, keyId, JSON.stringify({ userId }));
    });
    hooks.add('auth.loggedOut', own, ({ session: { tokenId, userId, expiresAtMs } }) => {
      link.announce(REVOKED, tokenId, JSON.stringify({ userId, expiresAtMs }));
    });
    hooks.add('auth.tokenRefreshed', own, ({ previous, session }) => {
      const claims = this.tokens.claimsOf(session);
      if (claims === undefined) return;
      link.announce(REFRESHED, previous.tokenId, JSON.stringify({ previous, session, ...claims }));
    });
  }

  private receiveChanges(): void {
    const { hooks, link, caches } = this;
    const changed = (userId: string | null, revokes = true) =>
      hooks.emit('security.changedElsewhere', { userId, revokes });
    link.receive(USER, (id, body) => {
      caches.dropUser(id);
      if (body !== '') caches.endTokens(id, textOf(readNodeMessage(body)['exceptTokenId']));
      changed(id);
    });
    link.receive(PROFILE, (id) => {
      caches.dropProfile(id);
      changed(null, false);
    });
    link.receive(ROLE, (id) => {
      caches.dropRole(id);
      changed(null, false);
    });
    link.receive(API_KEY, (id, body) => {
      caches.dropApiKey(id);
      changed(body === '' ? null : textOf(readNodeMessage(body)['userId']));
    });
    link.receive(REVOKED, (tokenId, body) => {
      const { userId, expiresAtMs } = readNodeMessage(body);
      caches.addRevocation({ tokenId, userId: textOf(userId) ?? '', expiresAtMs: numberOf(expiresAtMs) });
      changed(textOf(userId));
    });
    link.receive(REFRESHED, (_, body) => {
      const { previous, session, ...claims } = readNodeMessage(body);
      const [old, renewed] = [readSession(previous), readSession(session)];
      caches.addRevocation(old);
      this.tokens.adopt(renewed, readClaims(claims));
      hooks.emit('auth.tokenRefreshedElsewhere', { previous: old, session: renewed });
    });
    link.receive(FAILURE, (key) => this.limits.failedElsewhere(key));
    link.observe({ missed: () => this.readAgain(() => changed(null), FIRST_RETRY_MS) });
  }

  /** Call after messages may have been missed: retries until the storage answers. */
  private readAgain(changed: () => void, retryMs: number): void {
    clearTimeout(this.retryTimer);
    const revocations = this.caches.dropAll();
    // Users and rights are re-read from now on; their dependents don't wait for the revocations.
    changed();
    revocations.then(changed, (error: unknown) => {
      this.log.error({ err: error }, 'revocations could not be read again');
      const nextMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      this.retryTimer = setTimeout(() => this.readAgain(changed, nextMs), retryMs).unref();
    });
  }
}

function readSession(value: unknown): Session {
  if (!isJsonObject(value)) throw malformedMessage('a session');
  const { tokenId, userId, expiresAtMs } = value;
  const isSession = typeof tokenId === 'string' && typeof userId === 'string';
  if (!isSession) throw malformedMessage('a session');
  return { tokenId, userId, expiresAtMs: numberOf(expiresAtMs) };
}

/** A node of an older version sends only `gen`: its session then counts as an old one. */
function readClaims({ gen, loggedInAt, issuedAt }: JsonObject): SessionClaims {
  if (typeof gen !== 'string') throw malformedMessage('a token');
  return {
    gen,
    loggedInAt: typeof loggedInAt === 'number' ? loggedInAt : null,
    issuedAt: typeof issuedAt === 'number' ? issuedAt : 0,
  };
}

/** Null if it was sent by a node of an older version. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw malformedMessage('a time');
  return value;
}
