import type { ProtocolChannels } from '@millrace/kernel';
import { HEARTBEAT_EVENT } from './HEARTBEAT_EVENT.js';

/** Requests use one event; each response and each channel uses a separate event. */
export function describeChannels(serviceName: string): ProtocolChannels {
  const location = '$message.payload#/requestId';
  return {
    scheme: 'socket.io',
    requests: {
      key: 'fallbackRequests',
      address: serviceName,
      summary: 'The event of requests.',
    },
    responses: {
      key: 'fallbackResponses',
      address: '{requestId}',
      summary: 'An event named by the request.',
      parameters: { requestId: { description: 'The `requestId` of the request.', location } },
      replyAddress: location,
    },
    notifications: {
      key: 'fallbackNotifications',
      address: '{channel}',
      summary: 'An event named by the channel.',
      parameters: { channel: { description: 'From the response to realtime.subscribe.' } },
    },
    heartbeats: {
      key: 'fallbackHeartbeats',
      address: HEARTBEAT_EVENT,
      summary: 'The event of heartbeats, after client.hello.',
    },
  };
}
