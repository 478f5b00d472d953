import { toCollectionKey, type CollectionName } from '@millrace/kernel';

/** Documents of one collection. */
export interface SomeDocuments {
  readonly name: CollectionName;
  readonly ids: readonly string[];
}

/** The changes in one engine that another one doesn't have yet. Each is a name: the content is read when it is copied. */
export class ChangedDocuments {
  /** Number of documents. */
  size = 0;
  private readonly byCollection = new Map<string, { name: CollectionName; ids: Set<string> }>();
  private readonly wiped = new Map<string, CollectionName>();
  private isCatalogChanged = false;
  private taken: SomeDocuments | undefined;

  /** Whether there is nothing to copy. */
  get isEmpty(): boolean {
    return this.size === 0 && this.wiped.size === 0 && !this.isCatalogChanged;
  }

  add({ index, collection, id }: CollectionName & { readonly id: string }): void {
    const name = { index, collection };
    const key = toCollectionKey(name);
    let changed = this.byCollection.get(key);
    if (changed === undefined) this.byCollection.set(key, (changed = { name, ids: new Set() }));
    this.size -= changed.ids.size;
    changed.ids.add(id);
    this.size += changed.ids.size;
  }

  /** An index or a collection was created, or has other settings or another mapping. */
  addCatalog(): void {
    this.isCatalogChanged = true;
  }

  /** All documents of a collection were removed at once. */
  addWipe(name: CollectionName): void {
    this.wiped.set(toCollectionKey(name), name);
    this.addCatalog();
  }

  /** Whether a document is to be copied, or is being copied. */
  has(name: CollectionName, id: string): boolean {
    const key = toCollectionKey(name);
    if (this.wiped.has(key) || this.byCollection.get(key)?.ids.has(id) === true) return true;
    const { taken } = this;
    return taken !== undefined && toCollectionKey(taken.name) === key && taken.ids.includes(id);
  }

  /** @returns the collections that were wiped; undefined if the catalog is as before */
  takeCatalog(): readonly CollectionName[] | undefined {
    if (!this.isCatalogChanged) return undefined;
    this.isCatalogChanged = false;
    const names = [...this.wiped.values()];
    this.wiped.clear();
    return names;
  }

  /** Some documents of one collection, which count as being copied until `settle`. */
  take(maxDocuments: number): SomeDocuments | undefined {
    const [first] = this.byCollection;
    if (first === undefined) return undefined;
    const [key, { name, ids }] = first;
    const some: string[] = [];
    for (const id of ids) {
      if (some.length >= maxDocuments) break;
      some.push(id);
      ids.delete(id);
    }
    this.size -= some.length;
    this.byCollection.delete(key);
    // The next one is of another collection.
    if (ids.size > 0) this.byCollection.set(key, { name, ids });
    return (this.taken = { name, ids: some });
  }

  /** The documents that were taken are copied. */
  settle(): void {
    this.taken = undefined;
  }
}
