import type { ProtocolChannels } from '@millrace/kernel';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';

/** One connection carries all messages. */
export function describeChannels(scheme: 'ws' | 'wss'): ProtocolChannels {
  const summary = 'One text frame per message; `room` names the request or the channel that it belongs to.';
  const all = { key: PROTOCOL_NAME, address: '/', summary };
  return { scheme, requests: all, responses: all, notifications: all, heartbeats: all };
}
