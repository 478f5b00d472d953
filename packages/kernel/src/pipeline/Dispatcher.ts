import type { ActionDefinition, ActionResult } from '../actions/ActionDefinition.js';
import type { ActionTable } from '../actions/ActionTable.js';
import { checkArguments } from '../actions/checkArguments.js';
import type { Logger } from '../contracts/runtime/Logger.js';
import type { Security, Target } from '../contracts/security/Security.js';
import { storageErrors } from '../contracts/storage/errors.js';
import { coreErrors } from '../errors/errors.js';
import type { Hooks } from '../events/Hooks.js';
import { errorResponse } from '../request/errorResponse.js';
import type { JsonValue } from '../json/Json.js';
import type { Request } from '../request/Request.js';
import { RawContent, Redirect, type Response, type ResponseMessage } from '../request/Response.js';
import { isThenable } from './isThenable.js';
import type { Pipes } from './Pipes.js';
import type { RequestGate } from './RequestGate.js';

/** What a dispatcher is made of. */
export interface DispatcherParts {
  readonly actions: ActionTable;
  readonly security: Security;
  readonly pipes: Pipes;
  readonly hooks: Hooks;
  readonly gate: RequestGate;
  /** Of slow actions; absent: they share the other one. */
  readonly slowGate?: RequestGate;
  readonly log: Logger;
  readonly internalIndex: string;
  readonly exposeStack: boolean;
}

/**
 * The one way of a request: authenticate → authorise → check arguments → pipes → action → pipes → response. Steps give
 * values or promises and only promises are awaited: ten needless awaits cost a tenth of the throughput
 * (research/hot-paths.md section 3).
 */
export class Dispatcher {
  private isStopping = false;

  constructor(private readonly parts: DispatcherParts) {}

  /** Never rejects: failures are responses. */
  async dispatch(request: Request): Promise<Response> {
    const { hooks } = this.parts;
    const gate = this.gateOf(request);
    const entered = gate.enter();
    if (entered === false) return this.turnedAway(request);
    if (entered !== true) await entered;
    hooks.emit('request.started', { request });
    let response: Response;
    try {
      response = await this.run(request);
    } catch (error) {
      response = this.failed(request, error);
    } finally {
      gate.leave();
    }
    hooks.emit('request.ended', { request, response });
    return response;
  }

  /** From now on requests are answered 503; resolves when the running ones have been answered. */
  async drain(): Promise<void> {
    this.isStopping = true;
    await Promise.all([this.parts.gate.whenIdle(), this.parts.slowGate?.whenIdle()]);
  }

  private gateOf({ controller, action }: Request): RequestGate {
    const { gate, slowGate, actions } = this.parts;
    return slowGate !== undefined && actions.isSlow(controller, action) ? slowGate : gate;
  }

  private async run(request: Request): Promise<Response> {
    if (this.isStopping) throw coreErrors.stopping({});
    if (request.fault !== null) throw request.fault;
    const { actions, security, pipes, internalIndex } = this.parts;
    const action = actions.find(request.controller, request.action);

    if (action.ignoresToken !== true) {
      let identity = security.authenticate(request);
      if (isThenable(identity)) identity = await identity;
      request.user = identity.user;
      request.session = identity.session;
    }
    // Before rights: the internal index is out of reach whoever asks (decisions.md section 4, status 403).
    if (request.index === internalIndex) throw storageErrors.internal_index({});
    if (action.authorizesItself !== true) {
      const authorised = security.authorize(request, action);
      if (isThenable(authorised)) await authorised;
    }

    let input = checkArguments(action, request);
    // To write unheard is a right of its own (decisions.md section 8).
    if (input.args.silent === true) {
      const allowed = security.authorizeTarget(request, silentTarget(request));
      if (isThenable(allowed)) await allowed;
    }
    const piped = pipes.for(action.controller, action.action);
    if (piped !== undefined) input = await piped.before(input);
    let result = action.run(input);
    if (isThenable(result)) result = await result;
    if (piped !== undefined) result = await piped.after(input, result);
    return success(request, action, result);
  }

  private turnedAway(request: Request): Response {
    const response = this.failed(request, coreErrors.overloaded({}, { retryAfterSeconds: 1 }));
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

function silentTarget({ index, collection }: Request): Target {
  return { controller: 'bulk', action: 'import', index, collection, id: null, body: null };
}

function success(request: Request, action: ActionDefinition, result: ActionResult): Response {
  const message: ResponseMessage = {
    requestId: request.requestId,
    status: result instanceof Redirect ? 302 : 200,
    error: null,
    controller: request.controller,
    action: request.action,
    index: request.index,
    collection: request.collection,
    metadata: request.metadata,
    state: 'done',
    result: toJson(result),
  };
  if (result instanceof RawContent) return { message, raw: result };
  if (result instanceof Redirect && result.cookie !== undefined) {
    return { message, cookie: result.cookie };
  }
  if (action.echoesToken !== true || request.token === null) return { message };
  return { message: { ...message, jwt: request.token } };
}

function toJson(result: ActionResult): JsonValue {
  if (result instanceof RawContent) return result.text;
  return result instanceof Redirect ? result.result : result;
}
