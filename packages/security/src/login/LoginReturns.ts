/*
 * Logins that end at a page of this server, as those of a browser that comes back from a provider do: the callback can't
 * give a token to a script. The page begins the login with the digest of a random value (`returnChallenge`), and the
 * callback sends the browser there with a ticket in the fragment, which no request contains. `auth.login` exchanges the
 * ticket for a token, once and within a minute, together with that value (`returnVerifier`): a ticket in a history, or
 * one that a stranger has put into a link, signs no client in. As PKCE (RFC 7636) does for codes.
 */
import { createHash } from 'node:crypto';
import {
  apiErrors,
  CLOCK,
  isJsonObject,
  NODE_LINK,
  openTickets,
  Redirect,
  type Clock,
  type JsonObject,
  type JsonValue,
  type NodeLink,
  type Tickets,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';

/** Where a login ends. It travels with the state of the strategy. */
export type LoginReturn = { readonly page: string; readonly challenge: string };

const TICKET_LIFE_MS = 60_000;
/** A path of this server: another host would make every login an open redirect. */
const PAGE = /^\/(?!\/)[\w.~%@:+/-]{0,1023}$/;
const CHALLENGE = /^[\w-]{43}$/;
const VERIFIER = /^[\w-]{43,128}$/;

/** Sends browsers back to the page that began their login. */
@scoped(Scope.ContainerScoped)
export class LoginReturns {
  private readonly tickets: Tickets;

  constructor(
    @inject(NODE_LINK) link: NodeLink,
    @inject(CLOCK) clock: Clock,
    @inject(UserStore) private readonly users: UserStore,
  ) {
    this.tickets = openTickets(clock, link, 'security.login');
  }

  /** @throws api.invalid_argument (400) */
  read(page: string | undefined, challenge: string | undefined): LoginReturn | undefined {
    if (page === undefined) return undefined;
    if (!PAGE.test(page)) {
      const expected = 'a path of this server, without a query: /_console/';
      throw apiErrors.invalid_argument({ name: 'returnTo', value: 'something else', expected });
    }
    if (challenge === undefined || !CHALLENGE.test(challenge)) {
      const expected = 'the SHA-256 digest of returnVerifier, in base64url';
      throw apiErrors.invalid_argument({ name: 'returnChallenge', value: 'something else', expected });
    }
    return { page, challenge };
  }

  /** After a login that succeeded. */
  toPage({ page, challenge }: LoginReturn, strategy: string, { id, gen }: UserRecord): Redirect {
    const ticket = this.tickets.issue({ strategy, userId: id, gen, challenge }, TICKET_LIFE_MS);
    return new Redirect(`${page}#returnTicket=${ticket}`);
  }

  /** After a login that failed: a page can explain it, which the callback can't. */
  toPageFailed({ page }: LoginReturn, errorId: string): Redirect {
    return new Redirect(`${page}#returnError=${encodeURIComponent(errorId)}`);
  }

  /** @returns the user of a ticket; null if the ticket or the verifier is wrong, or if its credentials have changed */
  async redeem(
    strategy: string,
    { returnTicket: ticket, returnVerifier: verifier }: JsonObject,
  ): Promise<UserRecord | null> {
    if (typeof ticket !== 'string' || typeof verifier !== 'string' || !VERIFIER.test(verifier)) return null;
    const login = await this.tickets.read(ticket);
    const isOwn = login?.['strategy'] === strategy && login['challenge'] === digestOf(verifier);
    // Knowing a ticket must not be enough to spend it.
    if (!isOwn || (await this.tickets.redeem(ticket)) === null) return null;
    const record = typeof login['userId'] === 'string' ? await this.users.find(login['userId']) : null;
    return record?.gen === login['gen'] ? record : null;
  }
}

/** What a strategy has kept in its state. */
export function toLoginReturn(kept: JsonValue | undefined): LoginReturn | undefined {
  if (!isJsonObject(kept)) return undefined;
  const { page, challenge } = kept;
  return typeof page === 'string' && typeof challenge === 'string' ? { page, challenge } : undefined;
}

function digestOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
