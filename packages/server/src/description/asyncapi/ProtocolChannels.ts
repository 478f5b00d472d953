import type { JsonObject } from '@millrace/kernel';
import type { DescribedProtocol } from '../Describable.js';

/** A channel of a protocol. */
export interface DescribedChannel {
  /** Unique in the document. */
  readonly key: string;
  readonly address: string | null;
  readonly summary: string;
  readonly parameters?: JsonObject;
  /** Where a reply goes that is not told by the channel. */
  readonly replyAddress?: string;
}

/** The channels of one protocol; where one connection carries all, they are one and the same. */
export interface ProtocolChannels {
  /** `protocol` of an AsyncAPI server. */
  readonly scheme: string;
  readonly requests: DescribedChannel;
  readonly responses: DescribedChannel;
  readonly notifications: DescribedChannel;
}

/** Where each channel has an address of its own. */
const notificationsOf = (protocol: string, summary: string): DescribedChannel => ({
  key: `${protocol}Notifications`,
  address: '{channel}',
  summary,
  parameters: { channel: { description: 'From the response to realtime.subscribe.' } },
});

/** How a protocol carries messages (interface.md, Channel delivery per protocol). */
export function channelsOf({ name }: DescribedProtocol, serviceName: string): ProtocolChannels {
  switch (name) {
    case 'websocket': {
      const summary = 'One text frame per message; `room` says which request or channel it belongs to.';
      const all = { key: name, address: '/', summary };
      return { scheme: 'ws', requests: all, responses: all, notifications: all };
    }
    case 'fallback':
      return {
        scheme: 'socket.io',
        requests: { key: 'fallbackRequests', address: serviceName, summary: 'The event of requests.' },
        responses: {
          key: 'fallbackResponses',
          address: '{requestId}',
          summary: 'An event named by the request.',
          parameters: { requestId: { description: 'That of the request.', location: '$message.payload#/requestId' } },
          replyAddress: '$message.payload#/requestId',
        },
        notifications: notificationsOf(name, 'An event named by the channel.'),
      };
    case 'mqtt':
      return {
        scheme: 'mqtt',
        requests: { key: 'mqttRequests', address: serviceName, summary: 'The topic of requests.' },
        responses: {
          key: 'mqttResponses',
          address: 'mqtt.{clientId}',
          summary: 'The topic of direct responses.',
          parameters: { clientId: { description: 'Of the MQTT connection.' } },
        },
        notifications: notificationsOf(name, 'A topic named by the channel.'),
      };
    default: {
      // A plugin's own protocol: it alone knows where its messages go.
      const all = { key: name, address: null, summary: `Messages of the protocol ${name}.` };
      return { scheme: name, requests: all, responses: all, notifications: all };
    }
  }
} // prettier-ignore
