import { definePlugin, type Plugin } from '@millrace/kernel';
import { websocketConfig, type WebsocketConfig } from './config.js';
import { WebsocketProtocol } from './WebsocketProtocol.js';

/**
 * Plugin that lets clients connect over WebSocket (PROTO-51): one JSON object per message, responses with `room` =
 * `requestId`, notifications with `room` = the channel.
 * @param options defaults of its configuration keys (section `websocket`); file, environment and flags override them
 */
export function websocket(options: Partial<WebsocketConfig> = {}): Plugin {
  return definePlugin({
    name: 'protocol-websocket',
    kernel: '^0.1.0',
    config: { websocket: websocketConfig(options) },
    setup(host) {
      host.protocol(new WebsocketProtocol(host.config.websocket as unknown as WebsocketConfig));
    },
  });
}
