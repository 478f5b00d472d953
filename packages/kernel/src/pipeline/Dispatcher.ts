import type { ActionDefinition, ActionRequest, ActionResult } from '../contracts/actions/ActionDefinition.js';
import type { ActionTable } from '../contracts/actions/ActionTable.js';
import { checkArguments } from '../contracts/actions/checkArguments.js';
import type { Logger } from '../contracts/runtime/Logger.js';
import type { RateLimits } from '../contracts/security/RateLimits.js';
import type { Security, Target } from '../contracts/security/Security.js';
import { storageErrors } from '../contracts/storage/errors.js';
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import { REQUEST_CHANNEL } from '../diagnostics/CHANNELS.js';
import { isTraced } from '../diagnostics/isTraced.js';
import { apiErrors, coreErrors } from '../errors/errors.js';
import { MillraceError } from '../errors/MillraceError.js';
import type { Hooks } from '../events/Hooks.js';
import { errorResponse } from '../messages/errorResponse.js';
import type { JsonValue } from '../json/Json.js';
import { DeferredMessage } from '../messages/DeferredMessage.js';
import { JsonText } from '../json/JsonText.js';
import { readTarget } from '../contracts/actions/readTarget.js';
import type { Request } from '../contracts/request/Request.js';
import { FileContent, RawContent, Redirect, type Response } from '../contracts/request/Response.js';
import { toMessage } from '../messages/toMessage.js';
import { andThen } from '../concurrency/andThen.js';
import { changedTarget } from './changedTarget.js';
import { isThenable } from '../concurrency/isThenable.js';
import { itemCountOf } from './itemCountOf.js';
import type { IdempotentRequests } from './IdempotentRequests.js';
import type { ByteAccount } from '../concurrency/ByteBudget.js';
import type { ActionPipes, Pipes } from './Pipes.js';
import type { RequestQueue } from './RequestQueue.js';
import type { RequestScheduler } from './RequestScheduler.js';

/** The dependencies of a dispatcher. */
export interface DispatcherParts {
  readonly actions: ActionTable;
  readonly security: Security;
  readonly pipes: Pipes;
  readonly hooks: Hooks;
  readonly scheduler: RequestScheduler;
  /** Absent: idempotency keys are ignored. */
  readonly idempotent?: IdempotentRequests;
  /** Absent: no caller is limited. */
  readonly limits?: RateLimits;
  readonly log: Logger;
  readonly internalIndex: string;
  readonly exposeStack: boolean;
}

/**
 * The path of every request: authenticate → rate limit → authorise → check arguments → idempotency key → pipes → action → pipes →
 * response. Steps return values or promises, and only promises are awaited: ten needless awaits were measured to cost a
 * tenth of the throughput.
 */
export class Dispatcher {
  private isStopping = false;

  constructor(private readonly parts: DispatcherParts) {}

  /** Never rejects: failures are responses. */
  dispatch(request: Request): Promise<Response> {
    return Promise.resolve(this.answer(request));
  }

  /**
   * As `dispatch`, but a response that needs no waiting is returned at once: promises and their turns were measured to
   * cost a short request several percent. Never throws.
   */
  answer(request: Request): MaybePromise<Response> {
    if (!isTraced(REQUEST_CHANNEL)) return this.begin(request);
    const isKnown = this.parts.actions.has(request.controller, request.action);
    const begin = () => Promise.resolve(this.begin(request));
    return REQUEST_CHANNEL.tracePromise(begin, { request, isKnown });
  }

  /**
   * Authenticates and authorises a request before its body is read, so that a large one is read only from callers who
   * may send it. `dispatch` does so again, with the body.
   * @returns the refusal, undefined if the request may continue
   */
  async decide(request: Request): Promise<MillraceError | undefined> {
    try {
      if (this.isStopping) throw coreErrors.stopping({});
      if (request.fault !== null) throw request.fault;
      const action = this.parts.actions.find(request.controller, request.action);
      await andThen(this.identify(request, action), () => this.authorize(request, action));
      return undefined;
    } catch (error) {
      return error instanceof MillraceError ? error : coreErrors.internal({}, { cause: error });
    }
  }

  /** From now on, requests are answered 503; resolves when the running ones have been answered. */
  async drain(): Promise<void> {
    this.isStopping = true;
    this.refuseWaiting();
    await this.parts.scheduler.whenIdle();
  }

  /** The first step of a stop: only running requests are still answered, since waiting ones would delay it. */
  refuseWaiting(): void {
    this.parts.scheduler.refuseWaiting();
  }

  private begin(request: Request): MaybePromise<Response> {
    const { scheduler, actions } = this.parts;
    // The number of small requests is limited instead.
    const held = request.bytes > 0 ? scheduler.hold(request) : null;
    if (held instanceof MillraceError) return this.turnedAway(request, held);
    const queue = scheduler.queueOf(request, actions);
    return queue.enter() ? this.runIn(queue, request, held) : this.runLater(queue, request, held);
  }

  private async runLater(queue: RequestQueue, request: Request, held: ByteAccount | null): Promise<Response> {
    const refusal = await this.waitFor(queue, request);
    if (refusal === undefined) return this.runIn(queue, request, held);
    held?.close();
    return this.turnedAway(request, refusal);
  }

  private runIn(queue: RequestQueue, request: Request, held: ByteAccount | null): MaybePromise<Response> {
    this.parts.hooks.emit('request.started', { request });
    const end = (response: Response): Response => {
      queue.leave();
      held?.close();
      request.settle();
      this.parts.hooks.emit('request.ended', { request, response });
      return response;
    };
    const fail = (error: unknown): Response => end(this.failed(request, error));
    let running: MaybePromise<Response>;
    try {
      running = this.run(request);
    } catch (error) {
      return fail(error);
    }
    return isThenable(running) ? running.then(end, fail) : end(running);
  }

  /**
   * An unauthorised request is refused at once: only a request that may run waits in the queue, under its user. It is
   * authorised again when it runs, since permissions may have changed in the meantime.
   */
  private async waitFor(queue: RequestQueue, request: Request): Promise<MillraceError | undefined> {
    const refusal = await this.decide(request);
    if (refusal !== undefined) return refusal;
    switch (await queue.wait(request)) {
      case 'run':
        return undefined;
      case 'full':
        return overloaded();
      case 'stopping':
        return coreErrors.stopping({});
      case 'gone':
        return coreErrors.client_gone({});
    }
  }

  private run(request: Request): MaybePromise<Response> {
    if (this.isStopping) throw coreErrors.stopping({});
    const { limits } = this.parts;
    if (request.fault !== null) return this.refuseFaulty(request, request.fault);
    let action: ActionDefinition;
    try {
      action = this.parts.actions.find(request.controller, request.action);
    } catch (error) {
      return this.refuseFaulty(request, error);
    }
    return andThen(this.identify(request, action), () =>
      andThen(limits?.take(request), () =>
        andThen(this.authorize(request, action), () => this.perform(request, action)),
      ),
    );
  }

  /** Malformed requests and those for unknown actions count, too (LIMIT-1). */
  private refuseFaulty(request: Request, fault: unknown): MaybePromise<Response> {
    if (this.parts.limits === undefined) throw fault;
    return this.countFaulty(request, this.parts.limits, fault);
  }

  private async countFaulty(request: Request, limits: RateLimits, fault: unknown): Promise<Response> {
    try {
      ({ user: request.user, session: request.session } = await this.parts.security.authenticate(request));
    } catch {
      // A request whose token is refused is not counted.
      throw fault;
    }
    await limits.take(request);
    throw fault;
  }

  private identify(request: Request, action: ActionDefinition): MaybePromise<void> {
    if (action.ignoresToken === true) return;
    return andThen(this.parts.security.authenticate(request), ({ user, session }) => {
      request.user = user;
      request.session = session;
    });
  }

  private authorize(request: Request, action: ActionDefinition): MaybePromise<void> {
    // Checked before authorisation: no caller can access the internal index (DOC-4).
    if (request.index === this.parts.internalIndex) throw storageErrors.internal_index({});
    return this.authorizeTarget(request, action, readTarget(action, request));
  }

  private authorizeTarget(request: Request, action: ActionDefinition, target: Target): MaybePromise<void> {
    request.target = target;
    if (action.authorizesItself !== true) return this.parts.security.authorize(request, action);
  }

  private perform(request: Request, action: ActionDefinition): MaybePromise<Response> {
    const input = checkArguments(action, request);
    this.charge(request, action, input);
    const piped = this.parts.pipes.for(action.controller, action.action);
    const act = (): MaybePromise<Response> =>
      piped === undefined
        ? andThen(action.run(input), (result) => success(request, action, result))
        : this.performPiped(request, action, input, piped);
    const { idempotent, security } = this.parts;
    const once = () => (idempotent === undefined ? act() : idempotent.run(action, input, act));
    // Suppressing notifications requires a separate permission (PROTO-86).
    if (input.args.silent !== true) return once();
    return andThen(security.authorizeTarget(request, silentTarget(request.target)), once);
  }

  /** Each item of a list costs as much as a request, a search its milliseconds, but at most one burst. */
  private charge(request: Request, { queue }: ActionDefinition, { args }: ActionRequest): void {
    const { limits } = this.parts;
    const { rateLimit } = request;
    if (limits === undefined || rateLimit === null) return;
    const itemCount = itemCountOf(args);
    if (itemCount > 1) limits.charge(request, itemCount - 1);
    if (queue !== 'search' && queue !== 'follow') return;
    const startMs = performance.now();
    const costOf = (ms: number) => Math.min(ms - 1, rateLimit.limit.burst);
    request.onAnswered(() => limits.charge(request, costOf(performance.now() - startMs)));
  }

  private async performPiped(
    request: Request,
    action: ActionDefinition,
    sent: ActionRequest,
    piped: ActionPipes,
  ): Promise<Response> {
    const input = await piped.before(sent);
    // A pipe may redirect the request, but only to a target that its user may access.
    const changed = changedTarget(action, request.target, input);
    if (changed !== undefined) await this.authorizeTarget(request, action, changed);
    const result = await action.run(input);
    const seen = result instanceof JsonText ? result.value : result;
    return success(request, action, await piped.after(input, seen));
  }

  private turnedAway(request: Request, refusal: MillraceError): Response {
    const response = this.failed(request, refusal);
    request.settle();
    this.parts.hooks.emit('request.started', { request });
    this.parts.hooks.emit('request.ended', { request, response });
    return response;
  }

  private failed(request: Request, error: unknown): Response {
    const response = errorResponse(request, error, this.parts.exposeStack);
    const { status } = response.message;
    if (status >= 500 && status !== 503) {
      const { requestId, controller, action } = request;
      this.parts.log.error({ requestId, controller, action, err: error }, 'request failed');
    }
    return response;
  }
}

function overloaded(): MillraceError {
  return coreErrors.overloaded({}, { retryAfterSeconds: 1 });
}

function silentTarget({ index, collection }: Target): Target {
  return { controller: 'bulk', action: 'import', index, collection, id: null, body: null };
}

function success(request: Request, action: ActionDefinition, result: ActionResult | JsonText): Response {
  const jwt = action.echoesToken === true ? request.token : null;
  if (result instanceof JsonText) {
    const message = new DeferredMessage(request, result);
    return jwt === null ? { message } : { message: { ...message, jwt } };
  }
  const isFile = result instanceof FileContent;
  if (isFile && request.connection.protocol !== 'http')
    throw apiErrors.invalid_request({ problem: 'this action answers with a file, over HTTP alone' });
  const status = result instanceof Redirect ? 302 : 200;
  const message = toMessage(request, status, null, isFile ? null : toJson(result));
  if (result instanceof RawContent) return { message, raw: result };
  if (isFile) return { message, file: result };
  if (request.cookie !== null) return { message, cookie: request.cookie };
  return jwt === null ? { message } : { message: { ...message, jwt } };
}

function toJson(result: Exclude<ActionResult, FileContent>): JsonValue {
  if (result instanceof RawContent) return result.text;
  return result instanceof Redirect ? result.result : result;
}
