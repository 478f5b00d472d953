import type { ActionMessage, ActionResponse, FailureResponse, ResponseMessage } from '@millrace/actions';
import { createActions, type Actions } from './Actions.js';
import { memoryStore } from './auth/memoryStore.js';
import { Session } from './auth/Session.js';
import { tokenLife } from './auth/tokenLife.js';
import type { TokenSource, TokenStore } from './auth/TokenStore.js';
import { Collection, type Send } from './collection/Collection.js';
import { createKey } from './createKey.js';
import { MillraceError } from './errors/MillraceError.js';
import type { Extension, FeatureName, WithClientFeatures, WithCollectionFeatures } from './Extension.js';
import { httpTransport, type HttpOptions } from './http/httpTransport.js';
import { isRead, type RequestOptions } from './Request.js';
import type { AnySchema, CollectionName, IndexName, SchemaLike } from './schema/Schema.js';
import type { Answer, Message, Transport } from './Transport.js';
import { Wait } from './Wait.js';

/** Options of a client. All have defaults. */
export interface ClientOptions {
  /**
   * Where the token of the session is kept, or where the application's own tokens come from. Default: in memory.
   */
  readonly auth?: TokenStore | TokenSource;
  /** How long a call may take with all its repeats, in milliseconds; 0: no limit. Default 10,000. */
  readonly timeoutMs?: number;
  /** How often reads, and writes with an idempotency key, are sent again after a failure that may pass. Default 2. */
  readonly retries?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Who logs in. */
export interface LoginResult {
  readonly userId: string;
}

/** Responses that are no failures. */
type Succeeded<C extends string, A extends string> = Exclude<ActionResponse<C, A>, FailureResponse>;

/** A client with the extensions `F`. */
export type Client<S extends SchemaLike = AnySchema, F extends FeatureName = never> = MillraceClient<S, F> &
  WithClientFeatures<F>;

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 20_000;

/** A client of one Millrace server. Opens nothing before the first request. */
export class MillraceClient<S extends SchemaLike = AnySchema, F extends FeatureName = never> {
  /** Address of the server, without a slash at the end. */
  readonly url: string;
  /** Every action of the server as a function. */
  readonly actions: Actions;
  /** The token of the session. */
  readonly session: Session;
  /** How requests over HTTP are sent; for extensions. */
  readonly http: HttpOptions;
  /** Sends single messages; extensions may replace it. */
  transport: Transport;
  readonly #options: ClientOptions;
  readonly #extensions: Extension<FeatureName>[] = [];

  constructor(url: string, options: ClientOptions = {}) {
    this.url = url.replace(/\/+$/, '');
    this.#options = options;
    const { fetch: ownFetch = (...sent) => fetch(...sent), headers = {} } = options;
    this.http = { fetch: ownFetch, headers };
    this.transport = httpTransport(this.url, this.http);
    this.session = new Session(options.auth ?? memoryStore(), async (token) => {
      // For as long as the present one, which a login may have set.
      const expiresIn = (tokenLife(token)?.lifeMs ?? 0) / 1_000 || undefined;
      const message = { controller: 'auth', action: 'refreshToken', expiresIn };
      return resultOf<{ jwt: string }>(await this.#send(message, { token })).jwt;
    });
    this.actions = createActions(async (controller, action, fields, options) =>
      resultOf(await this.#send({ ...fields, controller, action }, options)),
    );
  }

  /** Adds the members of an extension, such as `realtime()`, to this client and to its collections. */
  with<G extends FeatureName>(extension: Extension<G>): Client<S, F | G> {
    this.#extensions.push(extension);
    Object.assign(this, extension.extendClient(this as unknown as MillraceClient));
    return this as unknown as Client<S, F | G>;
  }

  /** The documents of a collection. Sends nothing; neither index nor collection need exist. */
  collection<I extends IndexName<S>, C extends CollectionName<S, I>>(
    index: I,
    collection: C,
  ): Collection<S[I][C]> & WithCollectionFeatures<S[I][C], F> {
    const made = new Collection<S[I][C]>(this.#send.bind(this), index, collection);
    for (const extension of this.#extensions)
      Object.assign(made, extension.extendCollection?.(made as Collection<unknown>));
    return made as Collection<S[I][C]> & WithCollectionFeatures<S[I][C], F>;
  }

  /**
   * Sends a message to an action and returns the whole response; `client.actions` returns the result alone.
   * @throws MillraceError if the server answers with an error, NetworkError, TimeoutError; a response with status 206 is
   *   returned: `error.details` lists the items that failed
   */
  async request<C extends string, A extends string>(
    message: ActionMessage<C, A>,
    options?: RequestOptions,
  ): Promise<Succeeded<C, A>> {
    return (await this.#send(message as unknown as Message, options)) as Succeeded<C, A>;
  }

  /**
   * Logs in and keeps the token.
   * @param credentials those of the strategy, such as `{ username, password }`
   * @throws MillraceError `auth.wrong_credentials`, `auth.too_many_attempts`
   */
  async login(
    strategy: string,
    credentials: Readonly<Record<string, unknown>>,
    options: RequestOptions & { readonly expiresIn?: string | number } = {},
  ): Promise<LoginResult> {
    const { expiresIn, ...rest } = options;
    const message = { controller: 'auth', action: 'login', strategy, expiresIn, body: credentials };
    const answer = resultOf<{ _id: string; jwt: string }>(await this.#send(message, { ...rest, token: null }));
    await this.session.set(answer.jwt);
    return { userId: answer._id };
  }

  /** Revokes the token and forgets it, also if the server can't be reached. */
  async logout(options?: RequestOptions): Promise<void> {
    const token = await this.session.token().catch(() => null);
    await this.session.set(null);
    if (token === null) return;
    await this.#send({ controller: 'auth', action: 'logout' }, { ...options, token });
  }

  /** The current user; null without a session. */
  async currentUser(
    options?: RequestOptions,
  ): Promise<{ readonly id: string; readonly source: Readonly<Record<string, unknown>> } | null> {
    if ((await this.session.token()) === null) return null;
    const { _id: id, _source: source } = await this.actions.auth.getCurrentUser({}, options);
    return { id, source };
  }

  async #send(message: Message, options: Parameters<Send>[1] = {}): Promise<ResponseMessage> {
    const { timeoutMs = this.#options.timeoutMs ?? 10_000, idempotencyKey } = options;
    const key = idempotencyKey === true ? createKey() : idempotencyKey;
    const sent = key === undefined ? message : { ...message, idempotencyKey: key };
    const mayRepeat = key !== undefined || options.isRepeatable === true || isRead(sent);
    const retries = mayRepeat ? (options.retries ?? this.#options.retries ?? 2) : 0;
    const wait = new Wait(timeoutMs, options.signal);
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          return await this.#attempt(sent, options.token, wait.signal);
        } catch (error) {
          const { isRetryable, retryAfterMs = 0 } = error as Partial<MillraceError>;
          const limitMs = Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
          const pauseMs = retryAfterMs + Math.random() * limitMs;
          if (wait.signal.aborted || attempt >= retries || isRetryable !== true || !wait.has(pauseMs)) throw error;
          await wait.pause(pauseMs);
        }
      }
    } finally {
      wait.close();
    }
  }

  /** Sends once; a second time if the token was replaced meanwhile, because a 401 was not executed. */
  async #attempt(message: Message, ownToken: string | null | undefined, signal: AbortSignal): Promise<ResponseMessage> {
    signal.throwIfAborted();
    const token = ownToken === undefined ? await this.session.token() : ownToken;
    let answer = await this.transport(message, { token, signal });
    if (ownToken === undefined && token !== null && isStale(answer)) {
      const next = await this.session.replace(token);
      if (next !== null && next !== token) answer = await this.transport(message, { token: next, signal });
    }
    return checked(answer);
  }
}

function isStale({ response }: Answer): boolean {
  const { error } = response;
  return error?.id === 'auth.token_expired' || error?.id === 'auth.invalid_token';
}

function checked({ response, retryAfterMs }: Answer): ResponseMessage {
  const { status, error, requestId } = response;
  if (error === null || status === 206) return response;
  const { id, details } = error;
  throw new MillraceError({
    id,
    status,
    message: error.message as string,
    requestId,
    details,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function resultOf<R>(response: ResponseMessage): R {
  return response.result as R;
}
