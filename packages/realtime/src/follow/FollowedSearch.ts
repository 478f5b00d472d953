import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  CHANGE_LOG,
  CLOCK,
  createRequest,
  isCollectionAbsent,
  MillraceError,
  PIPES,
  SECURITY,
  STORAGE_ENGINE,
  storageErrors,
  type ChangeLog,
  type Clock,
  type CollectionName,
  type Connection,
  type JsonObject,
  type Pipes,
  type ReplayPace,
  type Request,
  type RequestFields,
  type ResponseMessage,
  type Security,
  type Session,
  type StorageEngine,
  type User,
  type WireError,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped, type InjectionToken } from 'tsyringe';
import { QueryError } from '@millrace/query';
import { compiledMapping, hasAllKeys } from '@millrace/search';
import { readMapping } from '../matching/readMapping.js';
import { Pacer, turnKeysOf } from '../Pacer.js';
import { ReadRights } from '../rights/ReadRights.js';
import { rightIdOf } from '../matching/rightIdOf.js';
import { targetOf } from '../targetOf.js';
import type { FollowedResult } from './FollowedResult.js';
import { planFollow, rerunPlan, type FollowPlan, type KeptPlan } from './FollowPlan.js';
import { KeptResult, toKept } from './KeptResult.js';
import { BYTES_PER_CHARACTER, windowHitBytes, type WindowHit } from './WindowHit.js';

/** Runs a request with the rights of a user; see `PluginHost.execute`. */
export type Execute = (fields: RequestFields, options: { readonly user: User }) => Promise<ResponseMessage>;

export const EXECUTE: InjectionToken<Execute> = Symbol('Execute');

interface SearchResult {
  readonly hits: readonly (JsonObject & { readonly _id: string; readonly _version: number })[];
  readonly total: number;
  readonly aggregations?: JsonObject;
}

/** The caller of a followed search. */
export interface FollowCaller {
  readonly connection: Connection;
  readonly session: Session | null;
  readonly user: User;
}

/** Runs followed searches with all rights and rules of their user. */
@scoped(Scope.ContainerScoped)
export class FollowedSearch {
  private count = 0;

  constructor(
    @inject(EXECUTE) private readonly execute: Execute,
    @inject(CHANGE_LOG) private readonly log: ChangeLog | null,
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(SECURITY) private readonly security: Security,
    @inject(ReadRights) private readonly rights: ReadRights,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(PIPES) private readonly pipes: Pipes,
    @inject(Pacer) private readonly pacer: Pacer,
  ) {}

  /** Whether pipes may answer the same search otherwise, and each user otherwise. */
  get hasPipes(): boolean {
    return this.pipes.for('document', 'search') !== undefined;
  }

  /** How to keep a search up to date. A wrong search is refused when it runs. */
  async plan(name: CollectionName, search: JsonObject, caller: FollowCaller): Promise<FollowPlan> {
    if (this.hasPipes) {
      // A pipe may have changed the query.
      return { mode: 'rerun', because: 'a plugin has a pipe on document.search', changes: {} };
    }
    if (this.engine.givesPositions !== true || this.log === null) {
      return rerunPlan(search, 'the storage engine has no position for each search');
    }
    const right = await this.rights.of(requestOf(name, caller), name);
    try {
      const mapping = await readMapping(this.engine, name);
      return planFollow(search, right, compiledMapping(mapping), this.clock.nowMs());
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      return rerunPlan(search, error.message);
    }
  }

  /** Whether a user may search within a right, see `rightIdOf`. */
  async maySearch(name: CollectionName, caller: FollowCaller, rightId: string): Promise<boolean> {
    const request = requestOf(name, caller);
    const target = targetOf(name, 'document', 'search');
    if (!(await this.security.isAllowed(request, target))) return false;
    return rightIdOf(await this.rights.of(request, name)) === rightId;
  }

  /** @throws what `document.search` answers */
  async run(name: CollectionName, search: JsonObject, plan: FollowPlan, caller: FollowCaller): Promise<FollowedResult> {
    // The documents may have moved to an engine without positions.
    const isKept = plan.mode === 'incremental' && this.engine.givesPositions === true;
    const kept = isKept ? await this.runKept(name, plan, caller) : undefined;
    return kept ?? this.runAction(name, search, caller);
  }

  /**
   * As `document.search` for a user who may read all fields of the documents that the plan covers.
   * @returns undefined if the right has changed, or if the result has no position
   */
  private async runKept(
    name: CollectionName,
    plan: KeptPlan,
    caller: FollowCaller,
  ): Promise<FollowedResult | undefined> {
    const request = requestOf(name, caller);
    await this.security.authorizeTarget(request, targetOf(name, 'document', 'search'));
    if (rightIdOf(await this.rights.of(request, name)) !== plan.rightId) return undefined;
    const { signal } = request;
    try {
      const outcome = await this.engine.search(name, plan.request, { signal, wantsPosition: true });
      const { position, timedOut, aggregations } = outcome;
      if (position === undefined || timedOut) return undefined;
      // Of more keys than are kept, some are unknown.
      if (aggregations && !hasAllKeys(aggregations)) return undefined;
      const pace = this.pacer.of(turnKeysOf(caller.connection, caller.session));
      const hits = await inSlices(outcome.hits, (hit) => toKept(hit, name, plan), pace);
      const mapping = compiledMapping(await readMapping(this.engine, name));
      return new KeptResult(name, plan, { ...outcome, position, hits }, mapping).toResult();
    } catch (error) {
      // An absent collection counts as empty.
      if (isCollectionAbsent(error)) return undefined;
      throw error;
    }
  }

  private async runAction(
    { index, collection }: CollectionName,
    search: JsonObject,
    { user }: FollowCaller,
  ): Promise<FollowedResult> {
    // The result may contain later changes. These run the search again.
    const cursor = (await this.log?.head()) ?? String(++this.count);
    // An engine without positions may show writes late. Where it can't be refreshed, the search says why.
    if (this.engine.givesPositions !== true) {
      await this.engine.refresh(index).catch(() => undefined);
    }
    const body = { ...search, version: true };
    const fields = { controller: 'document', action: 'search', index, collection, body };
    const { error, result } = await this.execute(fields, { user });
    // The first document creates the index; the page that follows it may be open before.
    if (error?.id === storageErrors.index_not_found.id)
      return { cursor, hits: [], total: 0, aggregations: null, bytes: 0 };
    if (error !== null) throw toMillraceError(error);
    const { hits, total, aggregations = null } = result as unknown as SearchResult;
    // To read 10,000 buckets, to count and to compare them takes some 20 ms each: not in one turn of the event loop.
    await nextTurn();
    const window = hits.map(toWindowHit);
    const hitBytes = window.reduce((sum, hit) => sum + windowHitBytes(hit), 0);
    const bytes = hitBytes + (aggregations === null ? 0 : BYTES_PER_CHARACTER * JSON.stringify(aggregations).length);
    await nextTurn();
    return { cursor, hits: window, total, aggregations, bytes };
  }
}

/** Thousands of hits take some 10 µs each. */
async function inSlices<T, R>(items: readonly T[], convert: (item: T) => R, pace: ReplayPace): Promise<R[]> {
  const converted: R[] = [];
  for (const item of items) {
    if (pace.isDue()) await pace.rest();
    converted.push(convert(item));
  }
  return converted;
}

function requestOf({ index, collection }: CollectionName, { connection, session, user }: FollowCaller): Request {
  const fields = { controller: 'document', action: 'search', index, collection };
  const request = createRequest(fields, connection);
  request.user = user;
  request.session = session;
  return request;
}

function toWindowHit(hit: SearchResult['hits'][number]): WindowHit {
  return { id: hit._id, version: hit._version, json: JSON.stringify(hit) };
}

function toMillraceError({ id, status, message }: WireError): MillraceError {
  return new MillraceError(id, status, typeof message === 'string' ? message : id);
}
