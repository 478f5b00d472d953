import type { ServerResponse } from 'node:http';

/**
 * Exchanges on the servers of other applications: those applications own the sockets, so a stop waits for the exchanges
 * instead of closing them.
 */
export class MountedExchanges {
  private readonly running = new Set<ServerResponse>();
  private readonly onEmpty: (() => void)[] = [];

  begin(response: ServerResponse): void {
    this.running.add(response);
    response.once('close', () => {
      this.running.delete(response);
      if (this.running.size === 0) this.onEmpty.splice(0).forEach((resolve) => resolve());
    });
  }

  destroyAll(): void {
    for (const response of this.running) response.destroy();
  }

  /** Resolves once every exchange has been answered, or its client has disconnected. */
  whenEmpty(): Promise<void> {
    if (this.running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.onEmpty.push(resolve));
  }
}
