/**
 * Entries of several owners, at most a number of them. Beyond it, the owner with the most entries loses its oldest one,
 * so that no owner displaces the entries of others.
 */
export class SharedPlaces<Entry> {
  /** Owners by entry, the oldest first. */
  private readonly owners = new Map<Entry, string>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly maxCount: number) {}

  get size(): number {
    return this.owners.size;
  }

  /** Adds an entry as the newest of its owner. @returns the entry that has lost its place */
  add(entry: Entry, owner: string): Entry | undefined {
    this.delete(entry);
    this.owners.set(entry, owner);
    this.counts.set(owner, (this.counts.get(owner) ?? 0) + 1);
    if (this.owners.size <= this.maxCount) return undefined;
    const lost = this.oldestOfLargest();
    if (lost !== undefined) this.delete(lost);
    return lost;
  }

  delete(entry: Entry): void {
    const owner = this.owners.get(entry);
    if (owner === undefined) return;
    this.owners.delete(entry);
    const left = (this.counts.get(owner) ?? 0) - 1;
    if (left > 0) this.counts.set(owner, left);
    else this.counts.delete(owner);
  }

  clear(): void {
    this.owners.clear();
    this.counts.clear();
  }

  private oldestOfLargest(): Entry | undefined {
    let most = 0;
    for (const count of this.counts.values()) most = Math.max(most, count);
    for (const [entry, owner] of this.owners) if (this.counts.get(owner) === most) return entry;
    return undefined;
  }
}
