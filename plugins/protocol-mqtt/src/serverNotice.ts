import type { JsonObject } from '@millrace/kernel';
import { PublishPacket } from './PublishPacket.js';

/**
 * A notification of the realtime controller that isn't caused by a request, on the topic of a channel.
 * @param place `index` and `collection` of the channel
 */
export function serverNotice(
  channel: string,
  { index, collection }: JsonObject,
  action: string,
  about: JsonObject,
): PublishPacket {
  const roomId = channel.slice(0, channel.indexOf('-'));
  const envelope = {
    roomId,
    status: 200,
    error: null,
    requestId: 'server notification',
    controller: 'realtime',
    action,
    index,
    collection,
    metadata: {},
    state: 'done',
    scope: null,
    timestamp: Date.now(),
    result: { roomId, ...about },
  };
  return new PublishPacket(channel, JSON.stringify(envelope));
}
