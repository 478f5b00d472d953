/*
 * Requests with an idempotency key are executed once: a repeat receives the answer of the first. Runs after
 * authorisation, so a repeat needs the same rights, and around pipes, so their effects aren't repeated either. What is
 * stored reveals nothing of the request to a reader of the store: the key of the fingerprint's HMAC is the idempotency
 * key, which is not stored.
 */
import { createHash, createHmac } from 'node:crypto';
import type { ActionDefinition, ActionRequest } from '../contracts/actions/ActionDefinition.js';
import type { AnswerStore, KeyedRequest } from '../contracts/runtime/AnswerStore.js';
import type { Logger } from '../contracts/runtime/Logger.js';
import type { Security } from '../contracts/security/Security.js';
import { ANONYMOUS } from '../contracts/security/User.js';
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import { apiErrors, idempotencyErrors } from '../errors/errors.js';
import { canonicalJson } from '../json/canonicalJson.js';
import { toAddressKey } from '../concurrency/toAddressKey.js';
import { resultLengthOf } from '../messages/encodeMessage.js';
import { errorResponse } from '../messages/errorResponse.js';
import { idempotencyKey } from '../messages/idempotencyKey.js';
import type { Request } from '../contracts/request/Request.js';
import type { Response, ResponseMessage } from '../contracts/request/Response.js';
import { toMessage } from '../messages/toMessage.js';
import { showValue } from '../errors/showValue.js';
import { stringifyInParts } from '../json/stringifyInParts.js';

const MAX_ANSWER_BYTES = 65_536;
/** A larger request would block the event loop while its fingerprint is computed. In memory, as `Request.bytes`. */
const MAX_REQUEST_BYTES = 8_388_608;
/** All anonymous callers share one name space, so a short key of one may be that of another. */
const MIN_ANONYMOUS_KEY_LENGTH = 16;
/** Failures for which a repeat is executed again, as are all from 500: the cause is not the request itself. */
const TEMPORARY: readonly number[] = [401, 403, 408, 429, 499];
/** Fields that don't change what is asked for. */
const ENVELOPE: readonly string[] = [
  'requestId',
  'controller',
  'action',
  'jwt',
  'headers',
  'metadata',
  'idempotencyKey',
];

/** The items of `mUpdate` have the right of `update`. */
const OF_SEVERAL = /^m(?=[A-Z])/;

type KeptAnswer = Pick<ResponseMessage, 'status' | 'error' | 'result'> &
  Pick<Request, 'version' | 'hint'> & {
    /** Hash of the rights to documents under which it was given; absent: to all of them. */
    readonly rights?: string | undefined;
  };

/** Executes requests with an idempotency key once (IDEM-1). One per server. */
export class IdempotentRequests {
  /** Fingerprints by id. */
  private readonly running = new Map<string, string>();

  constructor(
    private readonly store: AnswerStore,
    private readonly security: Pick<Security, 'documentRight'>,
    private readonly log: Logger,
  ) {}

  /**
   * Executes the request, or returns the kept answer if it is a repeat.
   * @throws api.invalid_argument (400) for a malformed key; idempotency.in_progress, idempotency.answer_not_kept (409),
   *   idempotency.rights_changed (403), idempotency.key_reused (422), idempotency.too_many_keys (429)
   */
  run(action: ActionDefinition, input: ActionRequest, execute: () => MaybePromise<Response>): MaybePromise<Response> {
    if (!(action.keepsAnswers ?? action.writes)) return execute();
    const key = idempotencyKey(input.request);
    return key === null ? execute() : this.runOnce(action, input, key, execute);
  }

  private async runOnce(
    action: ActionDefinition,
    input: ActionRequest,
    key: string,
    execute: () => MaybePromise<Response>,
  ): Promise<Response> {
    const { request } = input;
    const keyed = toKeyed(action, input, key);
    const running = this.running.get(keyed.id);
    if (running !== undefined) throw this.refusal(keyed, running);
    this.running.set(keyed.id, keyed.fingerprint);
    try {
      const rights = await this.rightsOf(request);
      const earlier = await this.store.claim(keyed);
      if (earlier === null) return await this.executeAndKeep(request, { ...keyed, rights }, execute);
      if (earlier.isRunning || earlier.fingerprint !== keyed.fingerprint) {
        throw this.refusal(keyed, earlier.fingerprint);
      }
      if (earlier.answer === null) throw idempotencyErrors.answer_not_kept({});
      const kept = JSON.parse(earlier.answer) as KeptAnswer;
      if (rights !== undefined && rights !== kept.rights) throw idempotencyErrors.rights_changed({});
      return replay(request, action, kept);
    } finally {
      this.running.delete(keyed.id);
    }
  }

  private refusal({ fingerprint }: KeyedRequest, earlier: string): Error {
    return fingerprint === earlier
      ? idempotencyErrors.in_progress({}, { retryAfterSeconds: 1 })
      : idempotencyErrors.key_reused({});
  }

  /**
   * The rights to documents that decide what the answer shows: of the action, of its items, and to read.
   * @returns a hash; undefined: none of them is limited
   */
  private async rightsOf(request: Request): Promise<string | undefined> {
    const { security } = this;
    const { target } = request;
    const { controller } = target;
    if (controller !== 'document' || target.collection === null) return undefined;
    const item = target.action.replace(OF_SEVERAL, '').replace(/^./, lower);
    const rights: unknown[] = [];
    for (const action of new Set(['get', target.action, item])) {
      const decided = { ...target, action, body: action === target.action ? target.body : null };
      const right = (await security.documentRight?.(request, decided)) ?? true;
      // Without a right to read, the answer shows what the writer may write.
      rights.push(typeof right === 'object' ? right.key : right || action === 'get');
    }
    if (rights.every((right) => right === true)) return undefined;
    return createHash('sha256').update(JSON.stringify(rights)).digest('base64url');
  }

  private async executeAndKeep(
    request: Request,
    keyed: RightfulRequest,
    execute: () => MaybePromise<Response>,
  ): Promise<Response> {
    try {
      const response = await execute();
      await this.end(request, keyed, response);
      return response;
    } catch (error) {
      await this.end(request, keyed, errorResponse(request, error, false));
      throw error;
    }
  }

  /** Never rejects: the request has been executed, and its caller receives the answer in any case. */
  private async end(request: Request, keyed: RightfulRequest, response: Response): Promise<void> {
    const { status } = response.message;
    const isKept = request.isAnswerKept && status < 500 && !TEMPORARY.includes(status);
    try {
      if (isKept) await this.store.keep(keyed, encode(request, response, keyed.rights));
      else await this.store.release(keyed);
    } catch (error) {
      const { requestId, controller, action } = request;
      const fields = { requestId, controller, action, err: error };
      this.log.warn(fields, 'the answer to a request with an idempotency key could not be kept');
    }
  }
}

/** A request with the rights under which it is executed (`rightsOf`). */
type RightfulRequest = KeyedRequest & Pick<KeptAnswer, 'rights'>;

const lower = (letter: string) => letter.toLowerCase();

function toKeyed(action: ActionDefinition, input: ActionRequest, key: string): KeyedRequest {
  const { request } = input;
  const user = request.user._id;
  const apiKeyId = request.session?.apiKeyId;
  // An API key may have fewer rights than its owner, so it doesn't receive the owner's answers.
  const caller = apiKeyId === undefined ? user : `${user}\0${apiKeyId}`;
  const isAnonymous = user === ANONYMOUS._id;
  const refuse = (expected: string) =>
    apiErrors.invalid_argument({ name: 'idempotencyKey', value: showValue(key), expected });
  if (isAnonymous && key.length < MIN_ANONYMOUS_KEY_LENGTH) {
    throw refuse(`at least ${MIN_ANONYMOUS_KEY_LENGTH} characters, as all anonymous callers share one name space`);
  }
  if (request.bytes > MAX_REQUEST_BYTES) {
    throw refuse(`none in a request that takes more than ${MAX_REQUEST_BYTES} bytes of memory`);
  }
  return {
    id: createHash('sha256').update(`${caller}\n${key}`).digest('base64url'),
    fingerprint: fingerprintOf(action, input, key),
    user,
    holder: isAnonymous ? `anonymous ${toAddressKey(request.connection.remoteAddress)}` : user,
  };
}

function fingerprintOf(
  { controller, action }: ActionDefinition,
  { request: { headers }, args, body, fields }: ActionRequest,
  key: string,
): string {
  const conditions = [headers?.['if-match'], headers?.['if-none-match']];
  const further = Object.fromEntries(Object.entries(fields).filter(([name]) => !ENVELOPE.includes(name)));
  const asked = canonicalJson([controller, action, args, body, further, conditions]);
  return createHmac('sha256', key).update(asked).digest('base64url');
}

/** @returns null if the answer is too large, or can be sent only once */
function encode(
  { version, hint }: Request,
  { message, raw, cookie }: Response,
  rights: string | undefined,
): string | null {
  if (raw !== undefined || cookie !== undefined) return null;
  if (resultLengthOf(message) > MAX_ANSWER_BYTES) return null;
  const { status, error, result } = message;
  const kept: KeptAnswer = { status, error, result, version, hint, rights };
  let text = '';
  for (const part of stringifyInParts(kept)) {
    text += typeof part === 'string' ? part : Buffer.from(part).toString();
    if (text.length > MAX_ANSWER_BYTES) return null;
  }
  return Buffer.byteLength(text) > MAX_ANSWER_BYTES ? null : text;
}

function replay(request: Request, action: ActionDefinition, kept: KeptAnswer): Response {
  request.version = kept.version;
  request.hint = kept.hint;
  const message = { ...toMessage(request, kept.status, kept.error, kept.result ?? null), replayed: true } as const;
  const jwt = action.echoesToken === true && kept.status < 400 ? request.token : null;
  return { message: jwt === null ? message : { ...message, jwt } };
}
