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

/** A subscription of the embedding program, created by `kernel.subscribe`. */
export interface Subscription {
  /** The room shared by all subscriptions with the same filter on the same collection. */
  readonly roomId: string;
  readonly channel: string;
  /**
   * Ends the subscription: the listener is not called again. Further calls, or a call after `kernel.stop`, have no
   * effect.
   */
  readonly unsubscribe: () => void;
}

/**
 * Called with each notification, in order, during delivery: run long work elsewhere. Thrown errors and rejections are
 * logged.
 */
export type NotificationListener = (notification: Notification) => void | Promise<void>;

/** Protocol name of the connections of in-process subscriptions. */
export const PROGRAM_SUBSCRIPTION = 'program-subscription';

/** The connection of one in-process subscription. */
export interface ProgramListener {
  readonly connection: Connection;
  /** Ends the subscription: no further notification is delivered. */
  close(): void;
}

/**
 * Subscriptions of the embedding program. Each has a separate persistent connection that ends in a function; to the
 * realtime service it is just another protocol.
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
      if (this.listeners.delete(connection.id)) this.hooks.emit('connection.closed', { connection });
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
    for (const id of this.channels.get(channel) ?? []) if (id !== exceptConnectionId) this.deliver(id, envelope);
  }

  notify(connectionId: string, channel: string | null, envelope: string): void {
    // Notifications for the whole connection are also sent on its one channel.
    if (channel !== null) this.deliver(connectionId, envelope);
  }

  private deliver(connectionId: string, envelope: string): void {
    const failed = (error: unknown) => this.log.error({ err: error }, 'a subscribed function failed');
    try {
      // Parsed separately for each listener, which may keep or modify the object.
      const outcome = this.listeners.get(connectionId)?.(JSON.parse(envelope) as Notification);
      if (isThenable(outcome)) outcome.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

const OF_THE_PROGRAM: readonly string[] = ['program', PROGRAM_SUBSCRIPTION];

/** True for the protocol of requests and subscriptions that the embedding program makes itself. */
export function isOfProgram(protocol: string): boolean {
  return OF_THE_PROGRAM.includes(protocol);
}
