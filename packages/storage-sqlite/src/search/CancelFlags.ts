import { MAX_DEFERRED, MAX_TASKS } from './SearchWindow.js';

/** One more than callers use: internal tasks are sent although the window is full. */
export const SLOT_COUNT = MAX_TASKS + 1 + MAX_DEFERRED;

/**
 * Cancellation flags of the search thread's tasks, in shared memory: the main thread sets a flag while the search
 * thread runs the task, because a running task receives no messages.
 */
export class CancelFlags {
  private readonly flags: Int32Array;

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT)) {
    this.flags = new Int32Array(buffer);
  }

  /** Call it before another task takes the slot. */
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
