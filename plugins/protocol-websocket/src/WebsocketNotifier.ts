import type { Notifier } from '@millrace/kernel';
import type { ChannelTable, ConnectionSet } from '@millrace/plugin-kit';
import type { ClientConnection } from './ClientConnection.js';
import { roomPrefix } from './encodeResponse.js';
import { joinedTextFrame, textFrameInRoom } from './frame.js';

/**
 * Notifications over WebSocket: the envelope with `room` = the channel, one frame for all connections of the channel
 * (PROTO-51).
 */
export class WebsocketNotifier implements Notifier {
  // A change is often sent on many channels: from the second one on, its bytes are copied.
  private lastEnvelope = '';
  private lastTail: Buffer | undefined;

  constructor(
    private readonly connections: Pick<ConnectionSet<ClientConnection>, 'get'>,
    private readonly channels: ChannelTable<Buffer>,
  ) {}

  join(connectionId: string, channel: string): void {
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.channels.join(connection, channel);
  }

  leave(connectionId: string, channel: string): void {
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.channels.leave(connection, channel);
  }

  publish(channel: string, envelope: string, exceptConnectionId?: string): void {
    if (!this.channels.hasListeners(channel)) return;
    this.channels.publish(channel, this.frameOf(channel, envelope), exceptConnectionId);
  }

  private frameOf(channel: string, envelope: string): Buffer {
    const prefix = roomPrefix(channel);
    if (envelope !== this.lastEnvelope) {
      this.lastEnvelope = envelope;
      this.lastTail = undefined;
      return textFrameInRoom(prefix, envelope);
    }
    this.lastTail ??= Buffer.from(envelope.slice(1));
    return joinedTextFrame(prefix, this.lastTail);
  }

  drained(connectionId: string): Promise<void> | undefined {
    return this.connections.get(connectionId)?.drained();
  }

  notify(connectionId: string, channel: string | null, envelope: string): void {
    const connection = this.connections.get(connectionId);
    if (connection === undefined) return;
    const room = channel ?? roomOfDirectResponse(envelope);
    this.channels.notify(connection, textFrameInRoom(roomPrefix(room), envelope));
  }
}

/** The room of a direct response is its request id. */
function roomOfDirectResponse(envelope: string): string {
  const { requestId } = JSON.parse(envelope) as { readonly requestId?: unknown };
  return typeof requestId === 'string' ? requestId : '';
}
