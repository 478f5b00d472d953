import { setTimeout as sleep } from 'node:timers/promises';
import {
  documentErrors,
  MillraceError,
  storageErrors,
  toCollectionKey,
  type CollectionName,
  type CopyableEngine,
  type StoredText,
} from '@millrace/kernel';
import { alignCatalog, alignMapping, mappingText } from './alignCatalog.js';
import type { ChangedDocuments } from './ChangedDocuments.js';

/** Changed documents that are copied together. */
const BATCH = 1_000;

/** The pause after a batch, as a share of its time: requests go first. */
const PAUSE_SHARE = 0.25;

/** A collection may be removed while it is copied. */
const MAX_LOST_RACES = 20;

type Copies = readonly { readonly id: string; readonly document: StoredText | null }[];

/** The dependencies of `EngineCopy`. */
export interface EngineCopyParts {
  readonly source: CopyableEngine;
  readonly target: CopyableEngine;
  /** The changes of the source since before the copy began. */
  readonly changes: ChangedDocuments;
  /** Collections that are not copied. */
  readonly isOwn: (name: CollectionName) => boolean;
  /** @throws Error that ends the copy */
  readonly assertGoingOn: () => void;
}

/**
 * Copies a source that changes meanwhile. Documents are copied by one batch at a time, each as it is in the source just
 * then; those that change later are copied again. So the copy needs neither the change log nor a frozen view.
 */
export class EngineCopy {
  /** Documents copied so far, without those that were changed since. */
  documents = 0;
  private names: readonly CollectionName[] = [];
  private waiting: CollectionName[] = [];
  /** By collection, the mapping that the target has. */
  private readonly mappings = new Map<string, string>();
  private lostRaces = 0;

  constructor(private readonly parts: EngineCopyParts) {}

  /** All collections. */
  get collections(): readonly CollectionName[] {
    return this.names;
  }

  /** Copies all collections. @throws Error naming what the target refuses */
  async copyAll(): Promise<void> {
    this.parts.changes.addCatalog();
    await this.follow();
    this.waiting = [...this.names];
    await this.copyWaiting();
  }

  /** Copies collections that are new, or whose documents were removed at once. */
  async copyWaiting(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift())
      await this.copyCollection(next);
  }

  /**
   * Copies some changes.
   * @returns false if there are none left
   */
  async follow(): Promise<boolean> {
    const { changes, assertGoingOn } = this.parts;
    assertGoingOn();
    const wiped = changes.takeCatalog();
    if (wiped !== undefined) {
      await this.unlessRemoved(
        () => this.followCatalog(wiped),
        () => wiped.forEach((name) => changes.addWipe(name)),
      );
    }
    const some = changes.take(BATCH);
    if (some !== undefined) {
      const texts = await this.parts.source.readTexts(some.name, some.ids);
      const copies = some.ids.map((id, i) => ({ id, document: texts[i] ?? null }));
      await this.storeUnlessRemoved(some.name, copies);
    }
    return !changes.isEmpty || this.waiting.length > 0;
  }

  /** Copies changes until there are none left. @param isOver asked before each batch */
  async drain(isOver: () => boolean): Promise<void> {
    while (!isOver() && (await this.follow())) {
      const next = this.waiting.shift();
      if (next !== undefined) await this.copyCollection(next);
    }
    // The last batch is stored.
    this.parts.changes.take(0);
  }

  private async copyCollection(name: CollectionName): Promise<void> {
    const pages = this.parts.source.pages(name)[Symbol.asyncIterator]();
    for (;;) {
      await this.follow();
      const beganMs = performance.now();
      // Read and stored without a batch of changes in between: an older state must not come after a newer one.
      const page = await pages.next();
      if (page.done === true || this.waiting.some((each) => isSame(each, name))) return;
      const copies = page.value.map((document) => ({ id: document.id, document }));
      await this.storeUnlessRemoved(name, copies);
      this.documents += copies.length;
      await sleep((performance.now() - beganMs) * PAUSE_SHARE);
    }
  }

  /** Collections whose documents were removed at once are copied again from the beginning. */
  private async followCatalog(wiped: readonly CollectionName[]): Promise<void> {
    const { source, target, isOwn } = this.parts;
    for (const name of wiped) {
      this.mappings.delete(toCollectionKey(name));
      if (await target.hasCollection(name)) await target.deleteCollection(name);
    }
    this.names = await alignCatalog(source, target, isOwn);
    for (const name of wiped)
      if (this.names.some((each) => isSame(each, name))) this.waiting.push(name);
  }

  private async storeUnlessRemoved(name: CollectionName, copies: Copies): Promise<void> {
    const again = () => copies.forEach(({ id }) => this.parts.changes.add({ ...name, id }));
    const isThere = await this.parts.source.hasCollection(name);
    if (isThere) await this.unlessRemoved(() => this.store(name, copies), again);
  }

  private async store(name: CollectionName, copies: Copies): Promise<void> {
    const { source, target } = this.parts;
    if (this.parts.isOwn(name) || copies.length === 0) return;
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

  /** A collection or index may have been removed since its name was read: then a step is taken again later. */
  private async unlessRemoved(step: () => Promise<void>, again: () => void): Promise<void> {
    try {
      await step();
      this.lostRaces = 0;
    } catch (error) {
      this.lostRaces += 1;
      const mayRepeat = error instanceof MillraceError && isRemoved(error);
      if (!mayRepeat || this.lostRaces > MAX_LOST_RACES) throw error;
      this.mappings.clear();
      this.parts.changes.addCatalog();
      again();
      await sleep(10);
    }
  }
}

function isSame(a: CollectionName, b: CollectionName): boolean {
  return a.index === b.index && a.collection === b.collection;
}

function isRemoved({ id }: MillraceError): boolean {
  return id === storageErrors.collection_not_found.id || id === storageErrors.index_not_found.id;
}
