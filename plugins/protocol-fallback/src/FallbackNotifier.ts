import type { Notifier } from '@millrace/kernel';
import type { ConnectionSet } from '@millrace/plugin-kit';
import type { Server } from 'socket.io';
import type { ClientConnection } from './ClientConnection.js';
import { PublicationLine } from './PublicationLine.js';

/**
 * Notifications over socket.io: event = channel, delivered by the library's rooms, which encode once for all members
 * (PROTO-55).
 */
export class FallbackNotifier implements Notifier {
  private readonly line = new PublicationLine();

  constructor(
    private readonly connections: Pick<ConnectionSet<ClientConnection>, 'get'>,
    /** Undefined before the start. */
    private readonly server: () => Server | undefined,
  ) {}

  join(connectionId: string, channel: string): void {
    const connection = this.connections.get(connectionId);
    if (connection === undefined) return;
    // Earlier publications are not for this connection.
    this.line.flush();
    void connection.socket.join(channel);
  }

  leave(connectionId: string, channel: string): void {
    void this.connections.get(connectionId)?.socket.leave(channel);
  }

  publish(channel: string, envelope: string, exceptConnectionId?: string): void {
    const server = this.server();
    if (server?.of('/').adapter.rooms.has(channel) !== true) return;
    const except = exceptConnectionId === undefined ? undefined : this.connections.get(exceptConnectionId);
    this.line.add(envelope.length, () => {
      const room = server.local.to(channel);
      const listeners = except === undefined ? room : room.except(except.socket.id);
      listeners.emit(channel, JSON.parse(envelope) as unknown);
    });
  }

  drained(connectionId: string): Promise<void> | undefined {
    return this.connections.get(connectionId)?.drained();
  }

  notify(connectionId: string, channel: string | null, envelope: string): void {
    const connection = this.connections.get(connectionId);
    if (connection === undefined) return;
    const message = JSON.parse(envelope) as { readonly requestId: string };
    // The event of a direct response is its request id.
    const event = channel ?? message.requestId;
    this.line.add(envelope.length, () => connection.send(event, message));
  }

  /** Sends everything queued; called before a stop. */
  flush(): void {
    this.line.flush();
  }
}
