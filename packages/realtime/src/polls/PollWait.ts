import type { Connection, Cursor } from '@millrace/kernel';
import type { Channel, HeldSubscription } from '../rooms/Channel.js';
import type { Subscription } from '../rooms/Membership.js';

/** A poll that waits for a change of its channel. */
export class PollWait implements HeldSubscription {
  readonly connection: Connection;
  private readonly channel: Channel;
  private hasChanged = false;
  private hasEnded = false;
  private wake: (() => void) | undefined;

  constructor({ membership, channel }: Subscription) {
    this.connection = membership.connection;
    this.channel = channel;
    channel.held.add(this);
  }

  /** Takes a notification. Only those of recorded changes wake the poll, since it reads the log. */
  take(_envelope: string, cursor: Cursor | undefined): void {
    if (cursor === undefined) return;
    this.hasChanged = true;
    this.wake?.();
  }

  /** The client has disconnected, or the server stops. */
  end(): void {
    this.hasEnded = true;
    this.wake?.();
  }

  /** Resolves at the first change since the last call, at the end, or after `maxMs`. */
  async changed(maxMs: number): Promise<'changed' | 'ended'> {
    if (!this.hasChanged && !this.hasEnded) await this.pause(maxMs);
    const outcome = this.hasChanged && !this.hasEnded ? 'changed' : 'ended';
    this.hasChanged = false;
    return outcome;
  }

  close(): void {
    this.channel.held.delete(this);
  }

  private async pause(maxMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, maxMs);
    });
    clearTimeout(timer);
    this.wake = undefined;
  }
}
