/**
 * So many tasks are with the search thread at a time: enough that it rarely waits for the next one, and so few that a task
 * of the server itself soon has its turn.
 */
export const SLOT_COUNT = 4;

/**
 * Says which tasks of the search thread are cancelled. The memory is shared: the main thread sets a flag while the search
 * thread runs the task, which takes no message meanwhile.
 */
export class CancelFlags {
  private readonly flags: Int32Array;

  constructor(
    readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(
      SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT,
    ),
  ) {
    this.flags = new Int32Array(buffer);
  }

  /** Before another task takes the slot. */
  clear(slot: number): void {
    Atomics.store(this.flags, slot, 0);
  }

  cancel(slot: number): void {
    Atomics.store(this.flags, slot, 1);
  }

  cancelAll(): void {
    for (let slot = 0; slot < SLOT_COUNT; slot += 1) this.cancel(slot);
  }

  isCancelled(slot: number): boolean {
    return Atomics.load(this.flags, slot) !== 0;
  }
}
