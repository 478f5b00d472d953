import type { MaybePromise, MemoryCommand, MemoryReply, MemoryTransaction, MillraceError } from '@millrace/kernel';
import { toByteText } from './byteText.js';
import type { Keyspace } from '../keyspace/Keyspace.js';

/** The engine's interface for a transaction. */
export interface TransactionHost {
  readonly keyspace: Keyspace;
  /** Runs a function while no command is running. */
  readonly atRest: (work: () => void) => MaybePromise<void>;
  /** Runs commands without any other in between; null if the mark is dirty by then. */
  readonly runAll: (
    commands: readonly MemoryCommand[],
    isDirty: () => boolean,
  ) => MaybePromise<readonly (MemoryReply | MillraceError)[] | null>;
}

/** A transaction of the embedded engine: stores only its watches; the commands run together. */
export class EmbeddedTransaction implements MemoryTransaction {
  private readonly watched = new Set<string>();
  private mark = { isDirty: false };
  private isClosed = false;

  constructor(private readonly host: TransactionHost) {}

  watch(keys: readonly string[]): MaybePromise<void> {
    return this.host.atRest(() => {
      if (this.isClosed) return;
      for (const key of keys.map(toByteText)) {
        this.watched.add(key);
        this.host.keyspace.watch(key, this.mark);
      }
    });
  }

  unwatch(): void {
    for (const key of this.watched) this.host.keyspace.unwatch(key, this.mark);
    this.watched.clear();
    this.mark = { isDirty: false };
  }

  exec(commands: readonly MemoryCommand[]) {
    return this.host.runAll(commands, () => {
      // A watched key that has expired in the meantime counts as changed.
      for (const key of this.watched) this.host.keyspace.find(key);
      const { isDirty } = this.mark;
      this.unwatch();
      return isDirty;
    });
  }

  close(): void {
    this.isClosed = true;
    this.unwatch();
  }
}
