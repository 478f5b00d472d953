import type { Notifier } from '@millrace/kernel';
import type { ChannelTable, ConnectionSet } from '@millrace/plugin-kit';
import type { ClientSession } from './ClientSession.js';
import type { Outgoing } from './ClientSession.js';
import { PublishPacket } from './PublishPacket.js';

/** Notifications over MQTT: topic = channel, for clients subscribed to it (PROTO-60). */
export class MqttNotifier implements Notifier {
  constructor(
    private readonly sessions: Pick<ConnectionSet<ClientSession>, 'get'>,
    private readonly table: ChannelTable<Outgoing>,
  ) {}

  join(connectionId: string, channel: string): void {
    const session = this.sessions.get(connectionId);
    if (session === undefined) return;
    session.channels.add(channel);
    this.table.join(session, channel);
  }

  /** The MQTT subscription ends with the channel: a client that rejoins subscribes again. */
  leave(connectionId: string, channel: string): void {
    const session = this.sessions.get(connectionId);
    if (session === undefined) return;
    session.leave(channel);
    this.table.leave(session, channel);
  }

  publish(channel: string, envelope: string, exceptConnectionId?: string): void {
    if (!this.table.hasListeners(channel)) return;
    this.table.publish(channel, new PublishPacket(channel, envelope), exceptConnectionId);
  }

  drained(connectionId: string): Promise<void> | undefined {
    return this.sessions.get(connectionId)?.drained();
  }

  notify(connectionId: string, channel: string | null, envelope: string): void {
    const session = this.sessions.get(connectionId);
    if (session === undefined) return;
    this.table.notify(session, new PublishPacket(channel ?? session.responseTopic, envelope));
  }
}
