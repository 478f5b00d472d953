import { randomUUID } from 'node:crypto';
import {
  isThenable,
  type Connection,
  type Hooks,
  type Logger,
  type Notification,
  type Notifier,
  type User,
} from '@millrace/kernel';

/**
 * Called with each notification, in order, while the server delivers: work that takes long belongs elsewhere. What it
 * throws, or rejects with, is logged.
 */
export type NotificationListener = (notification: Notification) => void | Promise<void>;

/** Protocol of the connections of in-process subscriptions. */
export const PROGRAM_SUBSCRIPTION = 'program-subscription';

/** The connection of one in-process subscription. */
export interface ProgramListener {
  readonly connection: Connection;
  /** Ends the subscription: nothing is delivered any more. */
  close(): void;
}

/**
 * Subscriptions of the program that the server runs in. Each has a lasting connection of its own, whose other end is a
 * function: to the realtime service it is one more protocol.
 */
export class ProgramSubscriptions implements Notifier {
  private readonly listeners = new Map<string, NotificationListener>();
  private readonly channels = new Map<string, Set<string>>();

  constructor(
    private readonly hooks: Hooks,
    private readonly log: Logger,
  ) {}

  /** Opens a connection for one subscription. */
  open(listener: NotificationListener, user?: User): ProgramListener {
    const base = { id: randomUUID(), protocol: PROGRAM_SUBSCRIPTION, remoteAddress: '' };
    const connection: Connection = user === undefined ? base : { ...base, user };
    this.listeners.set(connection.id, listener);
    this.hooks.emit('connection.opened', { connection });
    const close = () => {
      if (this.listeners.delete(connection.id))
        this.hooks.emit('connection.closed', { connection });
    };
    return { connection, close };
  }

  join(connectionId: string, channel: string): void {
    const members = this.channels.get(channel) ?? new Set();
    this.channels.set(channel, members.add(connectionId));
  }

  leave(connectionId: string, channel: string): void {
    const members = this.channels.get(channel);
    members?.delete(connectionId);
    if (members?.size === 0) this.channels.delete(channel);
  }

  publish(channel: string, envelope: string, exceptConnectionId?: string): void {
    for (const id of this.channels.get(channel) ?? [])
      if (id !== exceptConnectionId) this.notify(id, envelope);
  }

  tell(connectionId: string, channel: string | null, envelope: string): void {
    // What concerns the whole connection is sent on its one channel too.
    if (channel !== null) this.notify(connectionId, envelope);
  }

  private notify(connectionId: string, envelope: string): void {
    const failed = (error: unknown) =>
      this.log.error({ err: error }, 'a subscribed function failed');
    try {
      // Parsed for each: a listener may keep or change what it gets.
      const outcome = this.listeners.get(connectionId)?.(JSON.parse(envelope) as Notification);
      if (isThenable(outcome)) outcome.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}
