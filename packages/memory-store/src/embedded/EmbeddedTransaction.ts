import type {
  MemoryCommand,
  MemoryReply,
  MemoryTransaction,
  MillraceError,
} from '@millrace/kernel';
import { toByteText } from './byteText.js';
import type { Keyspace } from './Keyspace.js';

/** Runs the commands of a transaction in one go. */
export type RunAll = (
  commands: readonly MemoryCommand[],
) => readonly (MemoryReply | MillraceError)[] | Promise<readonly (MemoryReply | MillraceError)[]>;

/** A transaction of the embedded engine: only its watches are kept, commands run in one go. */
export class EmbeddedTransaction implements MemoryTransaction {
  private readonly watched = new Set<string>();
  private mark = { isDirty: false };

  constructor(
    private readonly keyspace: Keyspace,
    private readonly runAll: RunAll,
  ) {}

  watch(keys: readonly string[]): void {
    for (const key of keys.map(toByteText)) {
      this.watched.add(key);
      this.keyspace.watch(key, this.mark);
    }
  }

  unwatch(): void {
    for (const key of this.watched) this.keyspace.unwatch(key, this.mark);
    this.watched.clear();
    this.mark = { isDirty: false };
  }

  exec(commands: readonly MemoryCommand[]) {
    // A watched key that has expired by now counts as changed.
    for (const key of this.watched) this.keyspace.find(key);
    const { isDirty } = this.mark;
    this.unwatch();
    return isDirty ? null : this.runAll(commands);
  }

  close(): void {
    this.unwatch();
  }
}
