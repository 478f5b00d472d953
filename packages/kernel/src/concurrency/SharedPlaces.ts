/**
 * Entries of several owners, at most a number of them. Beyond it, the owner with the most entries loses its oldest one,
 * so that no owner displaces the entries of others.
 */
export class SharedPlaces<Entry> {
  private readonly byOwner = new Map<string, Set<Entry>>();
  private readonly owners = new Map<Entry, string>();

  constructor(private readonly maxCount: number) {}

  get size(): number {
    return this.owners.size;
  }

  /** Adds an entry as the newest of its owner. @returns the entry that has lost its place */
  add(entry: Entry, owner: string): Entry | undefined {
    this.delete(entry);
    this.owners.set(entry, owner);
    const own = this.byOwner.get(owner);
    if (own === undefined) this.byOwner.set(owner, new Set([entry]));
    else own.add(entry);
    if (this.owners.size <= this.maxCount) return undefined;
    const [lost] = this.largest();
    if (lost !== undefined) this.delete(lost);
    return lost;
  }

  delete(entry: Entry): void {
    const owner = this.owners.get(entry);
    if (owner === undefined) return;
    this.owners.delete(entry);
    const own = this.byOwner.get(owner);
    own?.delete(entry);
    if (own?.size === 0) this.byOwner.delete(owner);
  }

  clear(): void {
    this.byOwner.clear();
    this.owners.clear();
  }

  private largest(): ReadonlySet<Entry> {
    let largest: ReadonlySet<Entry> = new Set();
    for (const own of this.byOwner.values()) if (own.size > largest.size) largest = own;
    return largest;
  }
}
