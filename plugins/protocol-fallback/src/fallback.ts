import { definePlugin, type Plugin } from '@millrace/kernel';
import { fallbackConfig, type FallbackConfig } from './config.js';
import { FallbackProtocol } from './FallbackProtocol.js';
import { SOCKET_IO } from './SOCKET_IO.js';

/**
 * Plugin that lets older browsers connect over socket.io (PROTO-55): requests on the event named after the service,
 * responses on the event `requestId`, notifications on the event of the channel.
 * @param options defaults of its configuration keys (section `fallback`); file, environment and flags override them
 */
export function fallback(options: Partial<FallbackConfig> = {}): Plugin {
  return definePlugin({
    name: 'protocol-fallback',
    kernel: '^0.1.0',
    config: { fallback: fallbackConfig(options) },
    libraries: [SOCKET_IO],
    setup(host) {
      host.protocol(new FallbackProtocol(host.config.fallback as unknown as FallbackConfig));
    },
  });
}
