import type { MaybePromise } from '../contracts/storage/StorageEngine.js';
import type { JsonObject, JsonValue } from '../json/Json.js';
import type { Request } from '../request/Request.js';
import type { Precondition } from '../request/Precondition.js';
import type { JsonText } from '../request/JsonText.js';
import type { RawContent, Redirect } from '../request/Response.js';
import type { Arguments, ArgumentValues } from './Argument.js';

/** HTTP methods that routes use. HEAD and OPTIONS follow from them. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * One HTTP route. Segments of `path` that begin with `:` are parameters named after a message field
 * (`/:index/:collection/:_id`); a literal segment always wins over a parameter.
 */
export interface Route {
  readonly method: HttpMethod;
  readonly path: string;
}

/** Makes a route of its usual spelling: `route('GET /:index/_exists')`. */
export function route(spelling: `${HttpMethod} /${string}`): Route {
  const [method, path] = spelling.split(' ') as [HttpMethod, string];
  return { method, path };
}

/** A request whose arguments have been checked. */
export interface ActionRequest<A extends Arguments = Arguments> {
  readonly request: Request;
  readonly args: ArgumentValues<A>;
  /** The body without the arguments that were in it; `{}` where none was sent. */
  readonly body: JsonObject;
  /** All fields at the top of the message, unchecked, for actions that declare `readsFields`; `{}` for others. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What an action answers; it throws registered errors. `undefined` is sent as null. */
export type ActionResult = JsonValue | RawContent | Redirect;

/** An index or collection that an action may make (also implicitly, by a write) or removes (or empties). */
export type ActionEffect =
  'createsIndex' | 'createsCollection' | 'deletesIndex' | 'deletesCollection';

/**
 * The queues that requests wait in; a crowd in one keeps no other waiting. `search`: reads that the search engine
 * answers one after the other. `hashing`: password hashes and identity providers. `immediate`: never waits (health,
 * logout, the end of a subscription).
 */
export type RequestQueueName = 'ordinary' | 'search' | 'hashing' | 'immediate';

/**
 * An action, declared once: routes, argument checks, `server.info`, OpenAPI and the documentation come from here.
 * The right it needs is `controller.action` on the index and collection it names.
 */
export interface ActionDefinition<A extends Arguments = Arguments> {
  readonly controller: string;
  readonly action: string;
  /** One sentence for the reference. */
  readonly summary: string;
  /** The first one is the canonical one. Empty for actions that HTTP does not offer. */
  readonly routes: readonly Route[];
  readonly args: A;
  /** Must a body be there? Default false. */
  readonly bodyRequired?: boolean;
  /**
   * JSON Schema (2020-12) of what the body holds beside arguments, for descriptions: nothing is checked by it. Absent: the
   * body is arguments alone. A schema with a `title` in capitals (`StoredDocument`) is shown once, under that name.
   */
  readonly content?: JsonObject;
  /** JSON Schema of the result of a success, for descriptions. Absent: any JSON value. */
  readonly result?: JsonObject;
  /** Media type of its answers where they are `RawContent`, for descriptions. */
  readonly mediaType?: string;
  /** True where some of several items may fail: status 206 with a result and an error. */
  readonly mayFailInPart?: boolean;
  /** True where it may answer a `Redirect`: status 302. */
  readonly mayRedirect?: boolean;
  /**
   * What it lists, where a client may look for that by GET on the path above its first route: `documents` of
   * `POST /:index/:collection/_search`. For messages that refuse such a request.
   */
  readonly lists?: string;
  /**
   * Which conditions of the headers If-Match and If-None-Match the action takes (`readPrecondition`). Other actions that write
   * refuse them (400), so that no condition is passed over; actions that read ignore them.
   */
  readonly preconditions?: readonly Precondition['kind'][];
  /** True where a success sets `request.version`, which HTTP sends as the header `ETag`. For descriptions. */
  readonly setsVersion?: boolean;
  /** True where a success may set `request.hint`, which HTTP sends as the header `Millrace-Hint`. For descriptions. */
  readonly maySetHint?: boolean;
  /**
   * True where `run` reads the message's fields by rules of its own (the memory store, whose keys may be numbers): the
   * argument `_id` is then not checked.
   */
  readonly readsFields?: true;
  /** True where the action changes stored data. */
  readonly writes: boolean;
  /** What it makes or removes beside documents: `_canCreate` and `_canDelete` of roles hold for it. */
  readonly effect?: ActionEffect;
  /**
   * Which document a role's condition sees as `document`: the stored one under `_id`, the content sent, or the stored one
   * and the content where there is none. Absent: no single document, so conditions that mention it are false.
   */
  readonly subject?: 'stored' | 'sent' | 'storedOrSent';
  /** The document in a body that is more than the document, for such conditions. */
  readonly sentDocument?: (body: JsonObject) => JsonObject;
  /**
   * True for actions whose index and collection only they can tell (a scroll, a room): the pipeline doesn't authorise
   * them, `run` does by `Security.authorizeTarget`.
   */
  readonly authorizesItself?: boolean;
  /**
   * `public`: every caller may run it, the anonymous one included, once the server has an administrator. A role that names
   * the action itself (`controllers.doors.actions.open: false`, no `*`) decides instead for its users. Default: only
   * callers whose roles grant it.
   */
  readonly access?: 'public';
  /** True where a token that comes with the request is not looked at (login, checkToken). */
  readonly ignoresToken?: boolean;
  /** True where a successful response repeats the token used as `jwt`. */
  readonly echoesToken?: boolean;
  /** Which queue its requests wait in. Default `ordinary`. */
  readonly queue?: RequestQueueName;
  /**
   * Larger bodies over HTTP than `http.maxBodySize`: a JSON object with long lists (bulk import). Read once token and rights
   * have been judged without it; no item of a list may be larger than `http.maxBodySize`.
   */
  readonly largeBody?: {
    readonly maxBytes: number;
    /** Name of its long list, for messages. */
    readonly list: string;
    /** Items of all its lists. */
    readonly maxItems: number;
  };
  /**
   * Is a body of `application/x-www-form-urlencoded` taken over HTTP from this request? Asked with the fields of path and
   * query string. Absent: never; such a body is 415.
   */
  readonly takesForm?: (fields: Readonly<Record<string, unknown>>) => boolean;
  readonly run: (input: ActionRequest<A>) => MaybePromise<ActionResult | JsonText>;
}

/** Declares an action; the types of its arguments follow from `args`. */
export function defineAction<const A extends Arguments>(
  definition: ActionDefinition<A>,
): ActionDefinition {
  // The table keeps actions of all argument types; `checkArguments` makes exactly what `run` was declared with.
  return definition as unknown as ActionDefinition;
}
