import { isThenable, type MemoryCommand, type MemoryReply, type MemoryStoreEngine } from '@millrace/kernel';
import type { BlockingSlots } from './BlockingSlots.js';

/** The running blocking actions, so that they end with their connection or with the service. */
export class BlockedCalls {
  private readonly byConnection = new Map<string, Set<AbortController>>();

  constructor(
    private readonly engine: MemoryStoreEngine,
    private readonly slots: BlockingSlots,
  ) {}

  /** @throws memory.unavailable if no slot is free, or if the wait is ended from outside */
  async run(connectionId: string, command: MemoryCommand): Promise<MemoryReply> {
    const release = this.slots.take();
    const controller = new AbortController();
    const calls = this.byConnection.get(connectionId) ?? new Set();
    this.byConnection.set(connectionId, calls.add(controller));
    try {
      const reply = this.engine.block(command, controller.signal);
      return isThenable(reply) ? await reply : reply;
    } finally {
      release();
      calls.delete(controller);
      if (calls.size === 0) this.byConnection.delete(connectionId);
    }
  }

  /** Ends the waits of one connection. */
  end(connectionId: string): void {
    for (const controller of this.byConnection.get(connectionId) ?? []) controller.abort();
  }

  endAll(): void {
    for (const connectionId of [...this.byConnection.keys()]) this.end(connectionId);
  }
}
