import {
  CLOCK,
  HOOKS,
  type Clock,
  type Connection,
  type Cursor,
  type Hooks,
  type Lifecycle,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Replayed } from '../resume/Replays.js';
import type { Channel, HeldSubscription } from '../rooms/Channel.js';
import type { Subscription } from '../rooms/Membership.js';
import { Subscriptions } from '../Subscriptions.js';

/** Protocol of the connections of waiting polls: no notifier, and never that of a client's own connection. */
const POLL_PROTOCOL = 'poll';

/** Polls that wait for a change, as members of its room. They are answered when the server stops. */
@scoped(Scope.ContainerScoped)
export class WaitingPolls implements Lifecycle {
  private readonly waiting = new Set<PollWait>();
  private isStopping = false;
  private waitCount = 0;

  constructor(
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(HOOKS) private readonly hooks: Hooks,
  ) {}

  async start(): Promise<void> {
    this.hooks.add('server.stopping', 'polls', () => {
      this.isStopping = true;
      for (const wait of this.waiting) wait.end();
    });
  }

  async stop(): Promise<void> {}

  /**
   * Waits until there is a change, `waitMs` has passed, the client has disconnected or the server stops.
   * @param read returns the changes since it was called last
   */
  async wait(
    { connection: client, session, requestId }: Request,
    { room, options }: Channel,
    waitMs: number,
    read: (channel: Channel) => Promise<Replayed>,
  ): Promise<Replayed> {
    const endMs = this.clock.monotonicMs() + waitMs;
    const { remoteAddress, user } = client;
    const id = `${client.id}/poll-${++this.waitCount}`;
    const connection = { id, protocol: POLL_PROTOCOL, remoteAddress, ...(user && { user }) };
    const { filter, right } = room;
    const member = { connection, session, right, metadata: {}, presence: null, metadataBytes: 0 };
    const made = await this.subscriptions.add(room, filter, { ...member, options, action: 'subscribe' });
    const { subscription } = made;
    const wait = new PollWait(subscription);
    this.waiting.add(wait);
    const forget = client.lifetime?.onClosed(() => wait.end());
    try {
      await this.subscriptions.start(made, requestId);
      for (;;) {
        const found = await read(subscription.channel);
        const leftMs = endMs - this.clock.monotonicMs();
        if (found.count > 0 || leftMs <= 0 || this.isStopping) return found;
        if ((await wait.changed(leftMs)) === 'ended' || !this.subscriptions.isThere(subscription)) return found;
      }
    } finally {
      forget?.();
      this.waiting.delete(wait);
      wait.close();
      this.subscriptions.end(subscription, requestId);
      this.subscriptions.endConnection(connection);
    }
  }
}

/** A poll that waits for a change of its channel. */
class PollWait implements HeldSubscription {
  readonly connection: Connection;
  private readonly channel: Channel;
  private hasChanged = false;
  private hasEnded = false;
  private wake: (() => void) | undefined;

  constructor({ membership, channel }: Subscription) {
    this.connection = membership.connection;
    this.channel = channel;
    channel.held.set(this.connection.id, this);
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
    this.channel.held.delete(this.connection.id);
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
