import type { Notifier } from '@millrace/kernel';
import type { ChannelTable, ConnectionSet } from '@millrace/plugin-kit';
import type { EventStream } from './EventStream.js';
import { toEvent, type StreamEvent } from './StreamEvent.js';

/** Notifications as events, encoded once for all streams of a channel. */
export class SseNotifier implements Notifier {
  constructor(
    private readonly streams: Pick<ConnectionSet<EventStream>, 'get'>,
    private readonly channels: ChannelTable<StreamEvent>,
  ) {}

  join(connectionId: string, channel: string): void {
    const stream = this.streams.get(connectionId);
    if (stream !== undefined) this.channels.join(stream, channel);
  }

  leave(connectionId: string, channel: string): void {
    const stream = this.streams.get(connectionId);
    if (stream !== undefined) this.channels.leave(stream, channel);
  }

  publish(channel: string, envelope: string, exceptConnectionId?: string): void {
    if (!this.channels.hasListeners(channel)) return;
    this.channels.publish(channel, toEvent(envelope), exceptConnectionId);
  }

  drained(connectionId: string): Promise<void> | undefined {
    return this.streams.get(connectionId)?.drained();
  }

  notify(connectionId: string, _channel: string | null, envelope: string): void {
    const stream = this.streams.get(connectionId);
    if (stream !== undefined) this.channels.notify(stream, toEvent(envelope));
  }
}
