import type { MaybePromise } from '../../concurrency/MaybePromise.js';
import type { JsonObject, JsonValue } from '../../json/Json.js';
import type { Request } from '../request/Request.js';
import type { Precondition } from '../request/Precondition.js';
import type { JsonText } from '../../json/JsonText.js';
import type { FileContent, RawContent, Redirect } from '../request/Response.js';
import type { Arguments, ArgumentValues } from './Argument.js';

/** HTTP methods of routes. HEAD and OPTIONS are derived from them. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * One HTTP route. Segments of `path` that begin with `:` are parameters named after a message field
 * (`/:index/:collection/:_id`); a literal segment always wins over a parameter.
 */
export interface Route {
  readonly method: HttpMethod;
  readonly path: string;
  /** Set if the answer is a stream of a protocol (`HttpStreams`). */
  readonly stream?: { readonly protocol: string; readonly mediaType: string };
}

/** Parses a route from its usual notation: `route('GET /:index/_exists')`. */
export function route(spelling: `${HttpMethod} /${string}`): Route {
  const [method, path] = spelling.split(' ') as [HttpMethod, string];
  return { method, path };
}

/** A request whose arguments have been checked. */
export interface ActionRequest<A extends Arguments = Arguments> {
  readonly request: Request;
  readonly args: ArgumentValues<A>;
  /** The body without the arguments taken from it; `{}` if the request had none. */
  readonly body: JsonObject;
  /**
   * All fields at the top of the message, unchecked, for actions that declare `readsFields`; `{}` for other actions.
   */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The result of an action; failures are thrown as registered errors. `undefined` is sent as null. */
export type ActionResult = JsonValue | RawContent | FileContent | Redirect;

/** An index or collection that an action may create (also implicitly, by a write), delete or empty. */
export type ActionEffect = 'createsIndex' | 'createsCollection' | 'deletesIndex' | 'deletesCollection';

/**
 * The queues that requests wait in; load on one doesn't delay the others. `search`: reads that the search engine runs
 * one after the other. `follow`: requests that wait for such a read themselves. `hashing`: password hashes and identity
 * providers. `immediate`: never waits (health, logout, unsubscribing).
 */
export type RequestQueueName = 'ordinary' | 'search' | 'follow' | 'hashing' | 'immediate';

/**
 * An action, declared once: routes, argument checks, `server.info`, OpenAPI and the documentation are derived from it.
 * It requires the permission `controller.action` on the index and collection that the request names.
 */
export interface ActionDefinition<A extends Arguments = Arguments> {
  readonly controller: string;
  readonly action: string;
  /** One sentence for the reference documentation. */
  readonly summary: string;
  /** The first one is canonical. Empty for actions that HTTP does not offer. */
  readonly routes: readonly Route[];
  readonly args: A;
  /** Whether the request must have a body. Default false. */
  readonly bodyRequired?: boolean;
  /**
   * JSON Schema (2020-12) of the body's content apart from arguments. Used in descriptions only, never for validation.
   * Absent: the body contains arguments alone. A schema with a `title` in capitals (`StoredDocument`) is described
   * once, under that name.
   */
  readonly content?: JsonObject;
  /** JSON Schema of a successful result, for descriptions. Absent: any JSON value. */
  readonly result?: JsonObject;
  /** Media type of the answers if they are `RawContent` or `FileContent`, for descriptions. */
  readonly mediaType?: string;
  /** True if some of several items may fail: status 206 with a result and an error. */
  readonly mayFailInPart?: boolean;
  /** True if the action may answer with a `Redirect`: status 302. */
  readonly mayRedirect?: boolean;
  /**
   * The items that the action lists, if a client may try to list them with a GET on the path above its first route:
   * `documents` of `POST /:index/:collection/_search`. Used in the error message for such a request.
   */
  readonly lists?: string;
  /**
   * The conditions of the headers If-Match and If-None-Match that the action supports (`readPrecondition`). Other write
   * actions refuse them (400), so that no condition is silently ignored; read actions ignore them.
   */
  readonly preconditions?: readonly Precondition['kind'][];
  /** True if a success sets `request.version`, which HTTP sends as the header `ETag`. For descriptions. */
  readonly setsVersion?: boolean;
  /** True if a success may set `request.hint`, which HTTP sends as the header `Millrace-Hint`. For descriptions. */
  readonly maySetHint?: boolean;
  /**
   * True if `run` parses the message's fields by its own rules (the memory store, whose keys may be numbers): the
   * argument `_id` is then not checked.
   */
  readonly readsFields?: true;
  /** True if the action changes stored data. */
  readonly writes: boolean;
  /**
   * Whether the action supports idempotency keys: a request that repeats the key of an earlier one is not executed, and
   * receives the kept answer. Must be false if the answer contains a secret. Default: `writes`.
   */
  readonly keepsAnswers?: boolean;
  /** What the action creates or deletes besides documents: `_canCreate` and `_canDelete` of roles apply to it. */
  readonly effect?: ActionEffect;
  /**
   * The document that a role's condition sees as `document`: the stored one under `_id`, the content sent, or the
   * stored one with the content as fallback. Absent: no single document, so conditions that mention it are false.
   */
  readonly subject?: 'stored' | 'sent' | 'storedOrSent';
  /** Extracts the document for such conditions from a body that contains more than the document. */
  readonly sentDocument?: (body: JsonObject) => JsonObject;
  /**
   * True for actions that determine their index and collection themselves (a scroll, a room): the pipeline doesn't
   * authorise them; `run` does, with `Security.authorizeTarget`.
   */
  readonly authorizesItself?: boolean;
  /**
   * `public`: every caller may run it, including anonymous ones, once the server has an administrator. For users with a
   * role that names the action itself (`controllers.doors.actions.open: false`, no `*`), that role decides instead.
   * Default: only callers whose roles grant it.
   */
  readonly access?: 'public';
  /** True if a token sent with the request is ignored (login, checkToken). */
  readonly ignoresToken?: boolean;
  /** True if a successful response repeats the token used as `jwt`. */
  readonly echoesToken?: boolean;
  /** The queue that its requests wait in. Default `ordinary`. */
  readonly queue?: RequestQueueName;
  /**
   * Allows HTTP bodies larger than `http.maxBodySize`: a JSON object with long lists (bulk import). Such a body is read
   * only after authentication and authorisation without it; each list item is limited to `http.maxBodySize`.
   */
  readonly largeBody?: {
    readonly maxBytes: number;
    /** Name of its long list, for error messages. */
    readonly list: string;
    /** Maximum number of items in all its lists together. */
    readonly maxItems: number;
  };
  /**
   * Whether this request may have a body of `application/x-www-form-urlencoded` over HTTP. Called with the fields of
   * path and query string. Absent: never; such a body is refused with 415.
   */
  readonly takesForm?: (fields: Readonly<Record<string, unknown>>) => boolean;
  readonly run: (input: ActionRequest<A>) => MaybePromise<ActionResult | JsonText>;
}

/** Declares an action; the types of its arguments are inferred from `args`. */
export function defineAction<const A extends Arguments>(definition: ActionDefinition<A>): ActionDefinition {
  // The table holds actions of all argument types; `checkArguments` produces exactly the types `run` was declared with.
  return definition as unknown as ActionDefinition;
}
