import type { InjectionToken } from 'tsyringe';

/**
 * How a protocol with lasting connections delivers notifications. Brought by the protocol itself (`Protocol.notifier`);
 * called by the realtime service, which alone decides who hears what. No call waits or throws: a connection that is
 * gone, or that can't keep up, is the protocol's own affair (PROTO-42).
 *
 * Per connection, what was published or told first arrives first; nothing of a channel arrives after `leave`.
 */
export interface Notifier {
  /** From now on the connection hears the channel. */
  join(connectionId: string, channel: string): void;
  /** No longer. */
  leave(connectionId: string, channel: string): void;
  /**
   * One notification to every connection that has joined the channel.
   * @param envelope JSON text of the notification without `room`; the very same text goes to every protocol
   * @param exceptConnectionId a connection that isn't told
   */
  publish(channel: string, envelope: string, exceptConnectionId?: string): void;
  /** One notification to one connection: on a channel, or where its direct responses go (null). */
  tell(connectionId: string, channel: string | null, envelope: string): void;
}

/** The notifiers of this server by protocol name (`Connection.protocol`). */
export const NOTIFIERS: InjectionToken<ReadonlyMap<string, Notifier>> =
  Symbol.for('millrace.Notifiers');
