import { definePlugin, type Plugin } from '@millrace/kernel';
import { LinesProtocol } from './LinesProtocol.js';

/** The plugin that lets clients connect over plain TCP: one JSON message per line. Configuration section `lines`. */
export function lines(): Plugin {
  return definePlugin({
    name: '{{name}}',
    kernel: '^{{version}}',
    config: {
      lines: {
        host: { doc: 'Address to listen on', format: String, default: '127.0.0.1' },
        port: { doc: 'Port to listen on; 0 picks a free one', format: 'port', default: 7600 },
        maxLineBytes: { doc: 'Longest message, in bytes', format: 'nat', default: 1_048_576 },
        maxWaitingBytes: {
          doc: 'Bytes that may wait for a client that reads slowly; past them it is cut off',
          format: 'nat',
          default: 8_388_608,
        },
      },
    },
    setup(host) {
      host.protocol(new LinesProtocol(host.config.lines));
    },
  });
}
