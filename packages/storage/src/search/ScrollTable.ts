/*
 * Open scrolls (SEARCH-81).
 *
 * Only the id of a scroll's newest page identifies it: taking a page removes the id, so of two calls with the same id
 * one wins, and an older id is simply unknown. Scrolls expire without individual timers: one sweep checks them all, and
 * each lookup compares its scroll with the clock. A scroll whose last page was read releases its view in the engine at
 * once and answers empty pages until it expires; it no longer counts, but there are at most as many of those as of the
 * others, and the oldest is dropped first.
 */
import {
  ByteBudget,
  CLOCK,
  estimateJsonBytes,
  LOGGER,
  NODE_LINK,
  queryErrors,
  STORAGE_ENGINE,
  type ByteAccount,
  type Clock,
  type CollectionName,
  type JsonObject,
  type Lifecycle,
  type Logger,
  type NodeLink,
  type SearchCursor,
  type SearchOptions,
  type SearchOutcome,
  type StorageEngine,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped, type InjectionToken } from 'tsyringe';
import { STORAGE_CONFIG, type StorageConfig } from '../config.js';

/** Returns the given number of unpredictable bytes. Injected so that tests are repeatable. */
type RandomBytes = (byteCount: number) => Uint8Array;

/** The random source of scroll ids. */
export const RANDOM_BYTES: InjectionToken<RandomBytes> = Symbol('RandomBytes');

const ID_BYTES = 24;
/** Estimated memory of the searches of all scrolls. */
const MAX_BODY_BYTES = 64 * 2 ** 20;

/** A scroll to open. */
export interface ScrollOpening {
  /** `_id` of the user who owns the scroll. */
  readonly owner: string;
  readonly remoteAddress: string;
  readonly name: CollectionName;
  /** Of the search: conditions on its right may read it. */
  readonly body: JsonObject | null;
  /** See `DocumentRight.key`; null: no limits. */
  readonly rightKey: string | null;
  readonly spanMs: number;
  readonly pageSize: number;
  readonly showsVersion: boolean;
  /** Resolves to null if there is nothing to read because the collection is absent. */
  readonly openCursor: () => Promise<SearchCursor | null>;
}

/** The collection of a scroll, its search, and the right that it was opened with. */
export interface ScrollPlace extends CollectionName {
  readonly body: JsonObject | null;
  readonly rightKey: string | null;
}

/** One page, and the id of the next. */
export interface ScrollPage {
  readonly scrollId: string;
  readonly name: CollectionName;
  readonly showsVersion: boolean;
  readonly outcome: SearchOutcome;
}

interface Scroll extends Omit<ScrollOpening, 'openCursor' | 'remoteAddress' | 'spanMs'> {
  /** Of `body`. */
  readonly account: ByteAccount;
  spanMs: number;
  expiresAtMs: number;
  /** Null once read to the end. */
  cursor: SearchCursor | null;
  readonly isOfCollection: boolean;
  total: number;
  seenCount: number;
}

const NOTHING: SearchOutcome = { hits: [], total: 0, maxScore: null, timedOut: false };

/** The scrolls of this node. One per server. */
@scoped(Scope.ContainerScoped)
export class ScrollTable implements Lifecycle {
  // Ordered by their newest page.
  private readonly byId = new Map<string, Scroll>();
  // Scrolls that hold, or are about to open, a view of the engine.
  private heldCount = 0;
  private readonly bodyBytes = new ByteBudget(MAX_BODY_BYTES);
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(RANDOM_BYTES) private readonly randomBytes: RandomBytes,
    @inject(STORAGE_CONFIG) private readonly config: StorageConfig,
    @inject(LOGGER) private readonly log: Logger,
    @inject(NODE_LINK) private readonly link: NodeLink,
  ) {}

  /** Number of scrolls with pages left. */
  get openCount(): number {
    return this.heldCount;
  }

  async start(): Promise<void> {
    this.isStopped = false;
    // unref: a sweep that is due must not hold a stopping process open.
    this.timer = setInterval(() => this.dropExpired(), this.config.scrollSweepMs).unref();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    const scrolls = [...this.byId.values()];
    this.byId.clear();
    await Promise.all(scrolls.map((scroll) => this.end(scroll)));
  }

  /** Opens a scroll and reads its first page. @throws query.too_many_scrolls (429), what the engine throws */
  async open({ openCursor, remoteAddress, ...opening }: ScrollOpening, options?: SearchOptions): Promise<ScrollPage> {
    this.assertRoom();
    const account = this.accountFor(opening.body, remoteAddress);
    this.heldCount++;
    let cursor: SearchCursor | null;
    try {
      cursor = await openCursor();
    } catch (error) {
      this.heldCount--;
      account.close();
      throw error;
    }
    if (cursor === null) this.heldCount--;
    const scroll: Scroll = {
      ...opening,
      account,
      cursor,
      isOfCollection: cursor !== null,
      expiresAtMs: 0,
      total: 0,
      seenCount: 0,
    };
    try {
      return this.keep(scroll, await this.readPage(scroll, options));
    } catch (error) {
      await this.end(scroll);
      throw error;
    }
  }

  /** The collection of a scroll. @throws query.scroll_not_found (404) for an unknown, foreign or expired id */
  placeOf(scrollId: string, owner: string): ScrollPlace {
    const scroll = this.byId.get(scrollId);
    if (scroll === undefined || scroll.owner !== owner || this.isExpired(scroll)) {
      throw queryErrors.scroll_not_found({});
    }
    const { name, body, rightKey } = scroll;
    return { ...name, body, rightKey };
  }

  /**
   * The next page; its time span starts again.
   * @param spanMs a new span; absent: keeps the previous one
   * @param options of the page: a cancelled one can be requested again
   * @throws query.scroll_not_found (404) for an unknown, foreign, expired or superseded id
   */
  async next(scrollId: string, owner: string, spanMs?: number, options?: SearchOptions): Promise<ScrollPage> {
    const scroll = this.byId.get(scrollId);
    if (scroll === undefined || scroll.owner !== owner) throw queryErrors.scroll_not_found({});
    this.byId.delete(scrollId);
    if (this.isExpired(scroll)) {
      await this.end(scroll);
      throw queryErrors.scroll_not_found({});
    }
    let outcome: SearchOutcome;
    try {
      outcome = await this.readPage(scroll, options);
    } catch (error) {
      await this.afterFailure(scrollId, scroll, error);
      throw error;
    }
    scroll.spanMs = spanMs ?? scroll.spanMs;
    return this.keep(scroll, outcome);
  }

  private async readPage(scroll: Scroll, options: SearchOptions | undefined): Promise<SearchOutcome> {
    const { cursor } = scroll;
    if (cursor === null) {
      if (scroll.isOfCollection && !(await this.engine.hasCollection(scroll.name))) {
        throw queryErrors.scroll_not_found({});
      }
      return { ...NOTHING, total: scroll.total };
    }
    const outcome = await cursor.next(options);
    const { length } = outcome.hits;
    scroll.total = outcome.total;
    scroll.seenCount += length;
    // A page cut short by a time limit is not the last one.
    const isShort = length < scroll.pageSize && !outcome.timedOut;
    if (length === 0 || isShort || scroll.seenCount >= outcome.total) await this.release(scroll);
    return outcome;
  }

  private keep(scroll: Scroll, outcome: SearchOutcome): ScrollPage {
    if (this.isStopped) {
      void this.end(scroll);
      throw queryErrors.scroll_not_found({});
    }
    scroll.expiresAtMs = this.clock.monotonicMs() + scroll.spanMs;
    // The leading letter: over HTTP a path segment beginning with "_" is never a parameter.
    const random = Buffer.from(this.randomBytes(ID_BYTES)).toString('base64url');
    // Tells other nodes where the scroll is.
    const scrollId = this.link.isClustered ? `s${random}.${this.link.nodeId}` : `s${random}`;
    this.byId.set(scrollId, scroll);
    this.boundExhausted();
    const { name, showsVersion } = scroll;
    return { scrollId, name, showsVersion, outcome };
  }

  /** A scroll whose view is lost ends; after other failures the same page can be requested again. */
  private async afterFailure(scrollId: string, scroll: Scroll, error: unknown): Promise<void> {
    const isGone = (error as { id?: unknown }).id === queryErrors.scroll_not_found.id;
    if (isGone || this.isStopped) await this.end(scroll);
    else this.byId.set(scrollId, scroll);
  }

  private assertRoom(): void {
    const limit = this.config.maxScrolls;
    if (this.heldCount >= limit) this.dropExpired();
    if (this.heldCount >= limit) throw queryErrors.too_many_scrolls({ limit });
  }

  private dropExpired(): void {
    for (const [id, scroll] of this.byId) {
      if (!this.isExpired(scroll)) continue;
      this.byId.delete(id);
      void this.end(scroll);
    }
  }

  private isExpired({ expiresAtMs }: Scroll): boolean {
    return expiresAtMs <= this.clock.monotonicMs();
  }

  private boundExhausted(): void {
    const { maxScrolls } = this.config;
    if (this.byId.size > 2 * maxScrolls) this.dropExhausted();
  }

  /** The oldest scroll that was read to the end. @returns false if there is none */
  private dropExhausted(): boolean {
    for (const [id, scroll] of this.byId) {
      if (scroll.cursor !== null) continue;
      this.byId.delete(id);
      void this.end(scroll);
      return true;
    }
    return false;
  }

  /** Counts the search of a new scroll. @throws query.too_many_scrolls (429) */
  private accountFor(body: JsonObject | null, remoteAddress: string): ByteAccount {
    const account = this.bodyBytes.open(remoteAddress);
    const bytes = estimateJsonBytes(JSON.stringify(body));
    if (account.take(bytes)) return account;
    this.dropExpired();
    while (!account.take(bytes)) {
      if (!this.dropExhausted()) {
        throw queryErrors.too_many_scrolls({ limit: this.config.maxScrolls });
      }
    }
    return account;
  }

  /** No page of the scroll can be requested any more. */
  private end(scroll: Scroll): Promise<void> {
    scroll.account.close();
    return this.release(scroll);
  }

  /** Releases the view. A failure doesn't affect the request: the engine limits its views itself. */
  private async release(scroll: Scroll): Promise<void> {
    const { cursor } = scroll;
    if (cursor === null) return;
    scroll.cursor = null;
    this.heldCount--;
    try {
      await cursor.close();
    } catch (error) {
      this.log.warn({ err: error }, 'a scroll could not be closed');
    }
  }
}
