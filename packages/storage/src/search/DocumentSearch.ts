import {
  CLOCK,
  isThenable,
  Lifetime,
  queryErrors,
  SECURITY,
  STORAGE_ENGINE,
  toCollectionName,
  type Clock,
  type ActionResult,
  type CollectionName,
  type DocumentRight,
  type JsonObject,
  type MaybePromise,
  type JsonText,
  type Request,
  type SearchOptions,
  type SearchOutcome,
  type Security,
  type StorageEngine,
} from '@millrace/kernel';
import { parseCount, parseScrollSpan, parseSearch, type SearchRequest } from '@millrace/query';
import { searchViewOf } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { parsed, orWhenAbsent } from '../toRegisteredError.js';
import { DocumentLimits, visibleQuery } from '../rights/DocumentLimits.js';
import { EmptyCollection } from './EmptyCollection.js';
import { ScrollSharing } from './ScrollSharing.js';
import { ScrollTable, type ScrollPlace } from './ScrollTable.js';
import { toSearchResult, toSearchText, type ResultContext } from './toSearchResult.js';

/** Arguments of a search; they take precedence over those in the body. */
export interface SearchArguments {
  readonly from?: number | undefined;
  readonly size?: number | undefined;
  readonly scroll?: string | undefined;
}

/** Searches, pages of scrolls and counts (DOC-20). An absent collection of an existing index counts as empty. */
@scoped(Scope.ContainerScoped)
export class DocumentSearch {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(ScrollTable) private readonly scrolls: ScrollTable,
    @inject(ScrollSharing) private readonly sharing: ScrollSharing,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(SECURITY) private readonly security: Security,
    @inject(EmptyCollection) private readonly empty: EmptyCollection,
    @inject(DocumentLimits) private readonly limits: DocumentLimits,
  ) {}

  /**
   * @param caller its user owns a scroll, its signal cancels the search
   * @returns a search result (SEARCH-10)
   * @throws query.* (400, 429, 499), storage.index_not_found (404)
   */
  async search(
    name: CollectionName,
    body: JsonObject,
    args: SearchArguments,
    caller: Request,
  ): Promise<ActionResult | JsonText> {
    const startedMs = this.clock.monotonicMs();
    const request = parsed(() => parseSearch(body, args));
    const { version: showsVersion, fromGiven, sizeGiven } = request;
    const right = await this.limits.of(caller, 'search', name);
    const visible = right === null ? request : await this.limited(request, right, name);
    const page =
      request.scrollMs === undefined
        ? {
            outcome: await this.searchOnce(name, visible, new CallerOptions(caller, isSent(caller) ? name : undefined)),
          }
        : await this.openScroll(name, visible, { right, spanMs: request.scrollMs, caller });
    return toResult(caller, page.outcome, {
      name,
      showsVersion,
      tookMs: this.clock.monotonicMs() - startedMs,
      ...('scrollId' in page ? { scrollId: page.scrollId } : undefined),
      ...(fromGiven === undefined ? undefined : { from: fromGiven }),
      ...(sizeGiven === undefined ? undefined : { size: sizeGiven }),
    });
  }

  /**
   * The next page, authorised for the scroll's own collection (SEC-32).
   * @param scroll a new time span; absent: keeps the previous one
   * @throws query.invalid (400), query.scroll_not_found (404), what `Security.authorizeTarget` throws
   */
  async scroll(scrollId: string, scroll: string | undefined, request: Request): Promise<ActionResult | JsonText> {
    const startedMs = this.clock.monotonicMs();
    const spanMs = scroll === undefined ? undefined : parsed(() => parseScrollSpan(scroll));
    const owner = request.user._id;
    const place = this.sharing.placeOf(scrollId, owner);
    const { index, collection, ...opened } = isThenable(place) ? await place : place;
    const name = toCollectionName(index, collection);
    const target = { controller: 'document', action: 'scroll', ...name, id: null, body: null };
    await this.security.authorizeTarget(request, target);
    await this.assertSameRight(request, name, opened);
    const options = new CallerOptions(request);
    const page = await this.sharing.next(scrollId, owner, spanMs, options);
    return toResult(request, page.outcome, {
      ...page,
      tookMs: this.clock.monotonicMs() - startedMs,
    });
  }

  /** @throws query.* (400), storage.index_not_found (404), security.field_hidden (403) */
  async count(name: CollectionName, body: JsonObject, caller: Request): Promise<number> {
    const options = new CallerOptions(caller);
    const query = parsed(() => parseCount(body));
    const right = await this.limits.of(caller, 'count', name);
    const view = right && searchViewOf(right);
    if (view !== null) await this.limits.assertNames(query, view.fields, name);
    const visible = view === null ? query : visibleQuery(query, view);
    return orWhenAbsent(
      () => this.engine.count(name, visible, options),
      () => 0,
    );
  }

  /** @throws security.field_hidden (403) if the request names a hidden field */
  private async limited(request: SearchRequest, right: DocumentRight, name: CollectionName): Promise<SearchRequest> {
    const view = searchViewOf(right);
    await this.limits.assertNames(request, view.fields, name);
    return { ...request, view };
  }

  private searchOnce(name: CollectionName, request: SearchRequest, options: SearchOptions): Promise<SearchOutcome> {
    return orWhenAbsent(
      () => this.engine.search(name, request, options),
      () => this.empty.search(request, options),
    );
  }

  private async openScroll(name: CollectionName, request: SearchRequest, { right, spanMs, caller }: Scrolling) {
    const options = new CallerOptions(caller);
    let isAbsent = false;
    const openCursor = async () => {
      const cursor = await orWhenAbsent(
        () => this.engine.openCursor(name, request, options),
        () => null,
      );
      isAbsent = cursor === null;
      return cursor;
    };
    const { size: pageSize, version: showsVersion } = request;
    const owner = caller.user._id;
    const { remoteAddress } = caller.connection;
    const { body } = caller.target;
    const opening = { owner, remoteAddress, name, body, rightKey: keyOf(right), spanMs, pageSize };
    const page = await this.scrolls.open({ ...opening, showsVersion, openCursor }, options);
    return isAbsent ? { ...page, outcome: await this.empty.search(request, options) } : page;
  }

  /**
   * A scroll ends when the right to the search that opened it changes or is taken away (SEC-85).
   * @throws query.scroll_not_found (404)
   */
  private async assertSameRight(
    request: Request,
    name: CollectionName,
    { body, rightKey }: Pick<ScrollPlace, 'body' | 'rightKey'>,
  ): Promise<void> {
    const right = await this.limits.rightOf(request, 'search', name, null, body);
    const isSame = right !== false && keyOf(right === true ? null : right) === rightKey;
    if (!isSame) throw queryErrors.scroll_not_found({});
  }
}

interface Scrolling {
  /** Null: no limits. */
  readonly right: DocumentRight | null;
  readonly spanMs: number;
  readonly caller: Request;
}

function keyOf(right: DocumentRight | null): string | null {
  return right === null ? null : right.key;
}

/** Of callers that can't disconnect. */
const ENDLESS = new Lifetime();

/** A search is cancelled when its client disconnects. */
class CallerOptions implements SearchOptions {
  readonly prefersText: boolean;
  readonly lifetime: Lifetime;

  /** @param wireName of the collection, unless a cursor is opened */
  constructor(
    private readonly caller: Request,
    readonly wireName?: CollectionName | undefined,
  ) {
    this.prefersText = isSent(caller);
    this.lifetime = caller.connection.lifetime ?? ENDLESS;
  }

  get signal(): AbortSignal {
    return this.caller.signal;
  }
}

/** Whether the result is sent as text, rather than read by the program that embeds Millrace. */
function isSent({ connection }: Request): boolean {
  return connection.protocol !== 'program';
}

function toResult(
  caller: Request,
  outcome: SearchOutcome,
  context: ResultContext,
): MaybePromise<ActionResult | JsonText> {
  return isSent(caller) ? toSearchText(outcome, context) : toSearchResult(outcome, context);
}
