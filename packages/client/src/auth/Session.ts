import { isError } from '../errors/MillraceError.js';
import { tokenLife } from './tokenLife.js';
import type { TokenSource, TokenStore } from './TokenStore.js';

/** Called with the new token; null: the session has ended. */
export type TokenListener = (token: string | null) => void;

/** A pause after a failed renewal, while the token is still valid: at most 5 % of its life. */
const RENEWAL_PAUSE_MS = 10_000;
const PAUSES_OF_LIFE = 20;
const VISIBILITY_TRIES = 20;
const VISIBILITY_PAUSE_MS = 50;
const MAX_TIMER_MS = 2_000_000_000;

/**
 * The session of a client: gives the token for each request, renews it at 80 % of its life, and notifies listeners of
 * new tokens. Requests that arrive during a renewal wait for it: the server revokes the previous token.
 */
export class Session {
  readonly #store: TokenStore | undefined;
  readonly #source: TokenSource | undefined;
  readonly #renew: (token: string) => Promise<string>;
  readonly #listeners = new Set<TokenListener>();
  #endWatch: (() => void) | undefined;
  #known: string | null = null;
  #dueAtMs = Infinity;
  /** Replaced by `refresh`; the source may still return it. */
  #refused: { readonly token: string; readonly next: string | null } | undefined;
  #renewal: Promise<string | null> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param renew exchanges a token for a new one at the server */
  constructor(auth: TokenStore | TokenSource, renew: (token: string) => Promise<string>) {
    if ('get' in auth) this.#store = auth;
    else this.#source = auth;
    this.#renew = renew;
  }

  /**
   * The token for the next request; null: anonymous. Renews it first if that is due.
   * @throws MillraceError (401) once if the session has ended
   */
  async token(): Promise<string | null> {
    if (this.#source !== undefined) {
      const given = await this.#source.token();
      return this.#note(given === this.#refused?.token ? this.#refused.next : given);
    }
    if (this.#renewal !== undefined) return this.#renewal;
    const token = this.#note((await this.#store?.get()) ?? null);
    return token !== null && Date.now() >= this.#dueAtMs ? this.renew(token) : token;
  }

  /** The token without a renewal, so that nothing is sent; null: anonymous. */
  async peek(): Promise<string | null> {
    return (this.#source === undefined ? await this.#store?.get() : await this.#source.token()) ?? null;
  } // prettier-ignore

  /**
   * Gets a new token in place of one that the server refused.
   * @returns null if there is none
   */
  async replace(refused: string): Promise<string | null> {
    const present = await this.token();
    if (present !== refused) return present;
    if (this.#source?.refresh === undefined) {
      return this.#store === undefined ? null : this.#end(refused);
    }
    this.#renewal ??= this.#source.refresh().finally(() => (this.#renewal = undefined));
    const next = await this.#renewal;
    this.#refused = { token: refused, next };
    return this.#note(next);
  }

  /** Exchanges the token for a new one, once for all callers and all tabs. */
  renew(token: string): Promise<string | null> {
    this.#renewal ??= this.#renewOnce(token).finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  /** Begins a session with a token, or ends it. */
  async set(token: string | null): Promise<void> {
    await this.#store?.set(token);
    this.#note(token, true);
  }

  /**
   * Calls the listener with each new token, and with null when the session ends. While there are listeners the token
   * is renewed in time, also without requests. Returns the function that ends it.
   */
  onTokenChange(listener: TokenListener): () => void {
    this.#listeners.add(listener);
    this.#endWatch ??= this.#store?.onChange?.(() => void this.#reread(true));
    void this.#reread(false).then(() => this.#plan(this.#dueAtMs - Date.now()));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#endWatch?.();
      this.#endWatch = undefined;
      clearTimeout(this.#timer);
    };
  }

  async #renewOnce(token: string): Promise<string | null> {
    const store = this.#store;
    const work = async () => {
      const present = (await store?.get()) ?? null;
      // Another tab was faster.
      if (present !== token) return this.#note(present, true);
      try {
        await this.set(await this.#renew(token));
      } catch (error) {
        if (isError(error, 'auth.token_expired', 'auth.invalid_token')) {
          const next = await this.#end(token);
          if (next === null) throw error;
          return next;
        }
        const { lifeMs = Infinity } = tokenLife(token) ?? {};
        this.#plan(Math.min(RENEWAL_PAUSE_MS, lifeMs / PAUSES_OF_LIFE));
      }
      return this.#known;
    };
    return store?.exclusive === undefined ? work() : store.exclusive(work);
  }

  /**
   * Ends the session, as an expired or revoked token can't be exchanged for another one. A token that another tab has
   * stored may be visible here only a moment later, even to the next holder of a lock: it continues the session.
   */
  async #end(token: string): Promise<string | null> {
    const store = this.#store;
    for (let tries = store?.onChange === undefined ? 0 : VISIBILITY_TRIES; tries > 0; tries--) {
      const present = (await store?.get()) ?? null;
      if (present !== token) return this.#note(present, true);
      await new Promise((resolve) => setTimeout(resolve, VISIBILITY_PAUSE_MS));
    }
    await this.set(null);
    return null;
  }

  async #reread(isFresh: boolean): Promise<void> {
    if (this.#store !== undefined) this.#note((await this.#store.get()) ?? null, isFresh);
  }

  /** @param isFresh the token was issued just now, so that a wrong clock doesn't matter */
  #note(token: string | null, isFresh = false): string | null {
    if (token === this.#known) return token;
    const isFirst = this.#known === null && !isFresh;
    this.#known = token;
    this.#dueAtMs = Infinity;
    const life = token === null || this.#source !== undefined ? null : tokenLife(token);
    if (life === null) clearTimeout(this.#timer);
    else {
      const dueMs = life.lifeMs * (0.75 + Math.random() * 0.1);
      this.#plan(isFirst ? life.issuedAtMs + dueMs - Date.now() : dueMs);
    }
    for (const listener of this.#listeners) listener(token);
    return token;
  }

  #plan(inMs: number): void {
    this.#dueAtMs = Date.now() + inMs;
    clearTimeout(this.#timer);
    if (this.#listeners.size === 0 || inMs === Infinity) return;
    const onDue = () => {
      if (Date.now() < this.#dueAtMs) this.#plan(this.#dueAtMs - Date.now());
      else void this.token().catch(() => undefined);
    };
    const timer = setTimeout(onDue, Math.min(Math.max(inMs, 0), MAX_TIMER_MS));
    // In Node.js: a renewal that is due must not hold a program open.
    (timer as unknown as { unref?: () => void }).unref?.();
    this.#timer = timer;
  }
}
