/*
 * The open intents of all nodes, in the order of the stream. A document is written by one node at a time: its intents
 * take turns, so that the changes of a document are in the stream in the order of its versions.
 */

/** A write that was announced and not yet completed. */
export interface Intent {
  /** `<node>:<number>`. */
  readonly ref: string;
  readonly nodeId: string;
  /** `[collection, id]`; of a removal at once, the collections alone. */
  readonly documents: readonly (readonly [string, string?])[];
  /** Read only if the intent has to be resolved. */
  readonly body: string;
  /** Documents whose change is in the stream. */
  readonly logged: Set<string>;
}

interface Entry {
  readonly intent: Intent;
  readonly keys: readonly string[];
  onTurn?: () => void;
}

/** The open intents. */
export class Intents {
  private readonly byRef = new Map<string, Entry>();
  private readonly queues = new Map<string, Entry[]>();

  find(ref: string): Intent | undefined {
    return this.byRef.get(ref)?.intent;
  }

  /** Those of one node. */
  of(nodeId: string): readonly Intent[] {
    const all = [...this.byRef.values()].map(({ intent }) => intent);
    return all.filter((intent) => intent.nodeId === nodeId);
  }

  /** The nodes that have any. */
  nodeIds(): ReadonlySet<string> {
    return new Set([...this.byRef.values()].map(({ intent }) => intent.nodeId));
  }

  add(intent: Intent): void {
    if (this.byRef.has(intent.ref)) return;
    const keys = intent.documents.flatMap(([collection, id]) => (id === undefined ? [] : [`${collection}/${id}`])); // prettier-ignore
    const entry: Entry = { intent, keys };
    this.byRef.set(intent.ref, entry);
    for (const key of keys) {
      const queue = this.queues.get(key);
      if (queue === undefined) this.queues.set(key, [entry]);
      else queue.push(entry);
    }
  }

  close(ref: string): void {
    const entry = this.byRef.get(ref);
    if (entry === undefined) return;
    this.byRef.delete(ref);
    for (const key of entry.keys) {
      const queue = (this.queues.get(key) ?? []).filter((each) => each !== entry);
      if (queue.length === 0) this.queues.delete(key);
      else this.queues.set(key, queue);
      const [next] = queue;
      if (next?.onTurn !== undefined && this.isFirst(next)) next.onTurn();
    }
    entry.onTurn?.();
  }

  closeAll(nodeId: string): void {
    for (const { ref } of this.of(nodeId)) this.close(ref);
  }

  /** Resolves when no earlier intent concerns the same documents, or after so long; undefined: it's the case already. */
  turn(ref: string, withinMs: number): Promise<void> | undefined {
    const entry = this.byRef.get(ref);
    if (entry === undefined || this.isFirst(entry)) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs).unref();
      entry.onTurn = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private isFirst(entry: Entry): boolean {
    return entry.keys.every((key) => this.queues.get(key)?.[0] === entry);
  }
}
