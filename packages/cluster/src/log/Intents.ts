/*
 * The open intents of all nodes, in the order of the stream. A document is written by one node at a time: its intents
 * take turns, so that the changes of a document are in the stream in the order of its versions. The removal of all
 * documents of a collection takes turns with every write to the collection.
 */

/** A write that was announced and not yet completed. */
export interface Intent {
  /** `<node>:<number>`. */
  readonly ref: string;
  readonly nodeId: string;
  /** `[collection, id]`; of a removal at once, the collections alone. */
  readonly documents: readonly (readonly [string, string?])[];
  /** A change of it has been taken from the stream. */
  hasChanges: boolean;
  /** Collections with unrecorded writes since: a change that is recorded now may be older than they are. */
  readonly overtaken: Set<string>;
}

/** `closed`: the others have declared the node dead; `late`: earlier intents are still open. */
export type Turn = 'given' | 'closed' | 'late';

interface Entry {
  readonly intent: Intent;
  /** In the order of the stream. */
  readonly order: number;
  /** Of the documents. */
  readonly keys: readonly string[];
  readonly collections: ReadonlySet<string>;
  readonly isRemoval: boolean;
  onTurn?: (turn: Turn) => void;
}

/** The open intents. */
export class Intents {
  private readonly byRef = new Map<string, Entry>();
  private readonly queues = new Map<string, Entry[]>();
  private readonly byCollection = new Map<string, Set<Entry>>();
  /** By collection, the removals, in order. */
  private readonly removals = new Map<string, Entry[]>();
  private count = 0;

  find(ref: string): Intent | undefined {
    return this.byRef.get(ref)?.intent;
  }

  /** The nodes that have any. */
  nodeIds(): ReadonlySet<string> {
    return new Set([...this.byRef.values()].map(({ intent }) => intent.nodeId));
  }

  add({ ref, nodeId, documents }: Pick<Intent, 'ref' | 'nodeId' | 'documents'>): void {
    if (this.byRef.has(ref)) return;
    const entry: Entry = {
      intent: { ref, nodeId, documents, hasChanges: false, overtaken: new Set() },
      order: ++this.count,
      keys: documents.flatMap(([collection, id]) => (id === undefined ? [] : [`${collection}/${id}`])),
      collections: new Set(documents.map(([collection]) => collection)),
      isRemoval: documents.some(([, id]) => id === undefined),
    };
    this.byRef.set(ref, entry);
    for (const key of entry.keys) append(this.queues, key, entry);
    for (const key of entry.collections) {
      const open = this.byCollection.get(key);
      if (open === undefined) this.byCollection.set(key, new Set([entry]));
      else open.add(entry);
      if (entry.isRemoval) append(this.removals, key, entry);
    }
  }

  close(ref: string): void {
    const entry = this.byRef.get(ref);
    if (entry === undefined) return;
    this.byRef.delete(ref);
    for (const key of entry.keys) {
      remove(this.queues, key, entry);
      this.wake(this.queues.get(key)?.[0]);
    }
    for (const key of entry.collections) {
      const open = this.byCollection.get(key);
      open?.delete(entry);
      if (open?.size === 0) this.byCollection.delete(key);
      if (entry.isRemoval) {
        remove(this.removals, key, entry);
        for (const each of open ?? []) this.wake(each);
      } else this.wake(this.removals.get(key)?.[0]);
    }
    entry.onTurn?.('closed');
  }

  /** There are unrecorded writes to a collection (empty: to any). */
  overtake(collection: string): void {
    for (const { intent, collections } of this.byRef.values()) {
      for (const each of collections) if (collection === '' || each === collection) intent.overtaken.add(each);
    }
  }

  /** The collections that the intents of a node concern. */
  collectionsOf(nodeId: string): readonly string[] {
    return [...new Set(this.of(nodeId).flatMap(({ collections }) => [...collections]))];
  }

  closeAll(nodeId: string): void {
    for (const { intent } of this.of(nodeId)) this.close(intent.ref);
  }

  private of(nodeId: string): readonly Entry[] {
    return [...this.byRef.values()].filter(({ intent }) => intent.nodeId === nodeId);
  }

  /** Waits until no earlier intent concerns the same documents, for a limited time. */
  turn(ref: string, withinMs: number): Promise<Turn> | Turn {
    const entry = this.byRef.get(ref);
    if (entry === undefined) return 'closed';
    if (this.isFirst(entry)) return 'given';
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs, 'late').unref();
      entry.onTurn = (turn) => {
        clearTimeout(timer);
        resolve(turn);
      };
    });
  }

  private wake(entry: Entry | undefined): void {
    if (entry?.onTurn !== undefined && this.isFirst(entry)) entry.onTurn('given');
  }

  private isFirst(entry: Entry): boolean {
    const { order, isRemoval } = entry;
    for (const key of entry.collections) {
      const [first] = isRemoval ? (this.byCollection.get(key) ?? []) : (this.removals.get(key) ?? []);
      if (first !== undefined && first.order < order) return false;
    }
    return entry.keys.every((key) => this.queues.get(key)?.[0] === entry);
  }
}

function append(lists: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}

function remove(lists: Map<string, Entry[]>, key: string, entry: Entry): void {
  const left = (lists.get(key) ?? []).filter((each) => each !== entry);
  if (left.length === 0) lists.delete(key);
  else lists.set(key, left);
}
