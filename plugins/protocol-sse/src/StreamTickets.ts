import {
  apiErrors,
  authErrors,
  type JsonObject,
  type MillraceError,
  type Request,
  type Tickets,
} from '@millrace/kernel';
import { sseErrors } from './errors.js';

const LIFE_MS = 30_000;
/** A host name has at most 253 characters. */
const MAX_ORIGIN_LENGTH = 512;

/** The value of a ticket. */
interface Ticketed {
  readonly jwt?: string;
  readonly origin?: string;
}

/**
 * Tickets for EventSource, which can't send a token in a header: a ticket stands for the token of the request that
 * created it, once and for 30 seconds, so the address of a stream never contains a token.
 */
export class StreamTickets {
  constructor(private readonly tickets: Tickets) {}

  /**
   * @throws api.invalid_argument (400) for an origin that no page has; auth.login_needed (401) for a request without a
   *   token
   */
  issue({ session, token, connection }: Request): JsonObject {
    const origin = connection.header?.('origin');
    if (origin !== undefined && origin.length > MAX_ORIGIN_LENGTH) {
      const value = `${origin.length} characters`;
      const expected = `an origin of at most ${MAX_ORIGIN_LENGTH} characters`;
      throw apiErrors.invalid_argument({ name: 'header Origin', value, expected });
    }
    if (session === null || token === null)
      throw authErrors.login_needed({ controller: 'auth', action: 'createTicket' });
    const value: Ticketed = { jwt: token, ...(origin !== undefined && { origin }) };
    return { ticket: this.tickets.issue({ ...value }, LIFE_MS), expiresAt: Date.now() + LIFE_MS };
  }

  /** @param origin of the page that uses the ticket; absent for pages of the server itself */
  async redeem(
    ticket: unknown,
    origin: string | undefined,
  ): Promise<{ readonly jwt: string } | { readonly fault: MillraceError }> {
    const value: Ticketed | null = typeof ticket === 'string' ? await this.tickets.redeem(ticket) : null;
    const isForeign = origin !== undefined && value?.origin !== origin;
    if (value?.jwt === undefined || isForeign) return { fault: sseErrors.invalid_ticket({}) };
    return { jwt: value.jwt };
  }
}
