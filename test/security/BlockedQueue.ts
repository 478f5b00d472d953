import { defineAction, definePlugin, route, type Plugin } from '@millrace/kernel';

/**
 * Actions that wait in the queue of searches and are answered one after the other, as the search thread answers: `probe.search`
 * ends `tookMs` after the one before it has ended, and not before `release` was called.
 */
export class BlockedQueue {
  /** How many have begun to run. */
  startedCount = 0;
  /** How many lasting connections the server knows to be closed. */
  closedCount = 0;
  readonly plugin: Plugin;
  private unblock: () => void = () => undefined;
  private last: Promise<unknown> = new Promise<void>((resolve) => (this.unblock = resolve));

  constructor(tookMs = 0) {
    const run = () => {
      this.startedCount++;
      const ended = this.last.then(() => new Promise<string>((resolve) => setTimeout(() => resolve('found'), tookMs)));
      this.last = ended;
      return ended;
    };
    this.plugin = definePlugin({
      name: 'blocked-queue',
      kernel: '^0.1.0',
      setup: (host) => {
        host.hook('connection.closed', () => void this.closedCount++);
        host.controller([
          defineAction({
            controller: 'probe',
            action: 'search',
            summary: 'Waits as a search does.',
            routes: [route('POST /_probe')],
            args: {},
            writes: false,
            queue: 'search',
            run,
          }),
        ]);
      },
    });
  }

  release(): void {
    this.unblock();
  }
}
