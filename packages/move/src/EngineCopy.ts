import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  documentErrors,
  isCollectionAbsent,
  Queue,
  toCollectionKey,
  type CollectionName,
  type CopyableEngine,
  type MillraceError,
  type StoredText,
} from '@millrace/kernel';
import { alignCatalog, alignMapping, mappingText } from './alignCatalog.js';
import type { ChangedDocuments } from './ChangedDocuments.js';

/** Changed documents that are copied together. */
const BATCH = 1_000;

/** Pages that are stored together: Elasticsearch stores several at once, and more of them wait less for it. */
const PAGES = 4;

/** The pause after a round, as a share of its time: requests go first. */
const PAUSE_SHARE = 0.25;

/** A collection may be removed while it is copied. */
const MAX_LOST_RACES = 20;

/** Documents of one collection as they are to be stored; null removes one. */
interface Batch {
  readonly name: CollectionName;
  readonly copies: readonly { readonly id: string; readonly document: StoredText | null }[];
}

/**
 * Copies a source that changes meanwhile, in rounds. Each round takes some changed ids, then reads their documents and
 * some pages, and stores them at once. A document that changes after it was read is noted, and copied by a later round,
 * which begins when this one is stored: so an older state never overwrites a newer one. The copy needs neither the
 * change log nor a snapshot.
 */
export class EngineCopy {
  /** Documents copied so far, without those that were changed since. */
  documents = 0;
  private names: readonly CollectionName[] = [];
  private readonly waiting = new Queue<CollectionName>();
  /** By collection, the mapping that the target has. */
  private readonly mappings = new Map<string, string>();
  private lostRaces = 0;

  constructor(
    private readonly source: CopyableEngine,
    private readonly target: CopyableEngine,
    /** The changes of the source since before the copy began. */
    private readonly changes: ChangedDocuments,
    /** Collections that are not copied. */
    private readonly isOwn: (name: CollectionName) => boolean,
    /** @throws Error that ends the copy */
    private readonly assertGoingOn: () => void,
  ) {}

  /** All collections. */
  get collections(): readonly CollectionName[] {
    return this.names;
  }

  /** Copies all collections. @throws Error naming what the target refuses */
  async copyAll(): Promise<void> {
    this.changes.addCatalog();
    await this.follow();
    this.waiting.clear();
    for (const name of this.names) this.waiting.push(name);
    await this.copyWaiting();
  }

  /** Copies collections that are new, or whose documents were removed at once. */
  async copyWaiting(): Promise<void> {
    for (let next = this.waiting.take(); next !== undefined; next = this.waiting.take())
      await this.copyCollection(next);
  }

  /**
   * Copies some changes.
   * @returns false if there are none left
   */
  async follow(): Promise<boolean> {
    await this.round(async () => []);
    return !this.changes.isEmpty || this.waiting.size > 0;
  }

  /** Copies changes until there are none left. @param isOver asked before each batch */
  async drain(isOver: () => boolean): Promise<void> {
    while (!isOver() && (await this.follow())) {
      const next = this.waiting.take();
      if (next !== undefined) await this.copyCollection(next);
    }
  }

  private async copyCollection(name: CollectionName): Promise<void> {
    const pages = this.source.pages(name)[Symbol.asyncIterator]();
    for (let isOver = false; !isOver;) {
      const beganMs = performance.now();
      const read: Batch[] = [];
      await this.round(async () => {
        isOver = [...this.waiting].some((each) => isSame(each, name));
        while (!isOver && read.length < PAGES) {
          const page = await pages.next();
          if (page.done === true) isOver = true;
          else read.push(toBatch(name, page.value));
          await nextTurn();
        }
        return read;
      });
      this.documents += read.reduce((sum, { copies }) => sum + copies.length, 0);
      await sleep((performance.now() - beganMs) * PAUSE_SHARE);
    }
  }

  /** @param readPages called after the changes were taken: what changes between the two is noted for the next round */
  private async round(readPages: () => Promise<readonly Batch[]>): Promise<void> {
    const { source, changes, assertGoingOn } = this;
    assertGoingOn();
    const races = new RemovalRaces();
    const wiped = changes.takeCatalog();
    if (wiped !== undefined) {
      await races.run(
        () => this.followCatalog(wiped),
        () => wiped.forEach((name) => changes.addWipe(name)),
      );
    }
    const some = changes.take(BATCH);
    const batches = [...(await readPages())];
    if (some !== undefined) {
      const texts = await source.readTexts(some.name, some.ids);
      const copies = some.ids.map((id, i) => ({ id, document: texts[i] ?? null }));
      batches.push({ name: some.name, copies });
    }
    await this.storeAll(batches, races);
    changes.settle();
    this.lostRaces = races.lost === undefined ? 0 : this.lostRaces + 1;
    if (races.lost === undefined) return;
    if (this.lostRaces > MAX_LOST_RACES) throw races.lost;
    this.mappings.clear();
    changes.addCatalog();
    await sleep(10);
  }

  /** Collections whose documents were removed at once are copied again from the beginning. */
  private async followCatalog(wiped: readonly CollectionName[]): Promise<void> {
    const { source, target, isOwn } = this;
    for (const name of wiped) {
      this.mappings.delete(toCollectionKey(name));
      if (await target.hasCollection(name)) await target.deleteCollection(name);
    }
    this.names = await alignCatalog(source, target, isOwn);
    for (const name of wiped) if (this.names.some((each) => isSame(each, name))) this.waiting.push(name);
  }

  /** Resolves when no request is under way any more. */
  private async storeAll(batches: readonly Batch[], races: RemovalRaces): Promise<void> {
    const { source, changes, isOwn } = this;
    const stores = batches.map(async ({ name, copies }) => {
      if (isOwn(name) || copies.length === 0 || !(await source.hasCollection(name))) return;
      await races.run(
        () => this.store({ name, copies }),
        () => copies.forEach(({ id }) => changes.add({ ...name, id })),
      );
    });
    for (const stored of await Promise.allSettled(stores))
      if (stored.status === 'rejected') throw stored.reason as Error;
  }

  private async store({ name, copies }: Batch): Promise<void> {
    const { source, target } = this;
    const mapping = await source.getMapping(name);
    const text = mappingText(mapping);
    const key = toCollectionKey(name);
    if (this.mappings.get(key) !== text) await alignMapping(target, name, mapping);
    this.mappings.set(key, text);
    const outcomes = await target.copy(copies.map((copy) => ({ ...name, ...copy })));
    for (const outcome of outcomes) {
      if (outcome.status !== 'failed' || outcome.error.id === documentErrors.not_found.id) continue;
      throw outcome.error;
    }
  }
}

/** A collection or index may have been removed since its name was read: then a step is taken again later. */
class RemovalRaces {
  /** The last failure. */
  lost: MillraceError | undefined;

  async run(step: () => Promise<void>, again: () => void): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!isCollectionAbsent(error)) throw error;
      this.lost = error;
      again();
    }
  }
}

function toBatch(name: CollectionName, page: readonly StoredText[]): Batch {
  return { name, copies: page.map((document) => ({ id: document.id, document })) };
}

function isSame(a: CollectionName, b: CollectionName): boolean {
  return a.index === b.index && a.collection === b.collection;
}
