import type { ProtocolChannels } from '@millrace/kernel';

/** Requests are published to one topic; each client and each channel has a separate topic. */
export function describeChannels(serviceName: string): ProtocolChannels {
  return {
    scheme: 'mqtt',
    requests: { key: 'mqttRequests', address: serviceName, summary: 'The topic of requests.' },
    responses: {
      key: 'mqttResponses',
      address: 'mqtt.{clientId}',
      summary: 'The topic of direct responses.',
      parameters: { clientId: { description: 'The client id of the MQTT connection.' } },
    },
    notifications: {
      key: 'mqttNotifications',
      address: '{channel}',
      summary: 'A topic named by the channel.',
      parameters: { channel: { description: 'From the response to realtime.subscribe.' } },
    },
  };
}
