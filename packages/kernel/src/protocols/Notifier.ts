import type { InjectionToken } from 'tsyringe';

/**
 * How a protocol with lasting connections delivers notifications. Implemented by the protocol (`Protocol.notifier`);
 * called by the realtime service, which alone decides who receives what. No call waits or throws: the protocol itself
 * handles connections that are closed or can't keep up (PROTO-42).
 *
 * A connection receives messages in the order of the calls to `publish` and `notify`; nothing of a channel arrives after
 * `leave`.
 */
export interface Notifier {
  /** Subscribes the connection to the channel. */
  join(connectionId: string, channel: string): void;
  /** Unsubscribes the connection. */
  leave(connectionId: string, channel: string): void;
  /**
   * Sends one notification to every connection that has joined the channel.
   * @param envelope JSON text of the notification without `room`; the same text goes to every protocol
   * @param exceptConnectionId a connection to skip
   */
  publish(channel: string, envelope: string, exceptConnectionId?: string): void;
  /** Sends one notification to one connection: on a channel, or where its direct responses go (null). */
  notify(connectionId: string, channel: string | null, envelope: string): void;
  /**
   * Resolves once the client of a connection has taken most of what waits for it, or has gone; undefined: little waits.
   * Whoever has much to send to one connection waits for it. Absent: the protocol doesn't know.
   */
  drained?(connectionId: string): Promise<void> | undefined;
}

/** The notifiers of this server by protocol name (`Connection.protocol`). */
export const NOTIFIERS: InjectionToken<ReadonlyMap<string, Notifier>> = Symbol.for('millrace.Notifiers');
