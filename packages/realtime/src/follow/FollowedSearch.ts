import {
  CHANGE_LOG,
  MillraceError,
  type ChangeLog,
  type CollectionName,
  type JsonObject,
  type RequestFields,
  type ResponseMessage,
  type User,
  type WireError,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped, type InjectionToken } from 'tsyringe';
import type { FollowedResult } from './FollowedResult.js';
import type { WindowHit } from './WindowHit.js';

/** Runs a request with the rights of a user; see `PluginHost.execute`. */
export type Execute = (
  fields: RequestFields,
  options: { readonly user: User },
) => Promise<ResponseMessage>;

export const EXECUTE: InjectionToken<Execute> = Symbol('Execute');

interface SearchResult {
  readonly hits: readonly (JsonObject & { readonly _id: string; readonly _version: number })[];
  readonly total: number;
  readonly aggregations?: JsonObject;
}

/** Runs followed searches as `document.search` of their user, with all its rights and rules. */
@scoped(Scope.ContainerScoped)
export class FollowedSearch {
  private count = 0;

  constructor(
    @inject(EXECUTE) private readonly execute: Execute,
    @inject(CHANGE_LOG) private readonly log: ChangeLog | null,
  ) {}

  /** @throws what `document.search` answers */
  async run(
    { index, collection }: CollectionName,
    search: JsonObject,
    user: User,
  ): Promise<FollowedResult> {
    // The result may contain later changes. These run the search again.
    const cursor = (await this.log?.head()) ?? String(++this.count);
    const body = { ...search, version: true };
    const fields = { controller: 'document', action: 'search', index, collection, body };
    const { error, result } = await this.execute(fields, { user });
    if (error !== null) throw toMillraceError(error);
    const { hits, total, aggregations = null } = result as unknown as SearchResult;
    const window = hits.map(toWindowHit);
    const texts = window.reduce((sum, { json }) => sum + json.length, 0);
    const bytes = texts + (aggregations === null ? 0 : JSON.stringify(aggregations).length);
    return { cursor, hits: window, total, aggregations, bytes };
  }
}

function toWindowHit(hit: SearchResult['hits'][number]): WindowHit {
  return { id: hit._id, version: hit._version, json: JSON.stringify(hit) };
}

function toMillraceError({ id, status, message }: WireError): MillraceError {
  return new MillraceError(id, status, typeof message === 'string' ? message : id);
}
