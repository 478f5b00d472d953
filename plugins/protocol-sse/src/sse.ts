import { definePlugin, type Plugin } from '@millrace/kernel';
import { sseConfig, type SseConfig } from './config.js';
import { SseProtocol } from './SseProtocol.js';
import { StreamTickets } from './StreamTickets.js';
import { ticketAction } from './ticketAction.js';

/**
 * Plugin that lets clients subscribe over HTTP with server-sent events (SSE-1), and creates tickets for EventSource.
 * @param options defaults of its configuration keys (section `sse`); file, environment and flags override them
 */
export function sse(options: Partial<SseConfig> = {}): Plugin {
  return definePlugin({
    name: 'protocol-sse',
    kernel: '^0.1.0',
    config: { sse: sseConfig(options) },
    setup(host) {
      const tickets = new StreamTickets(host.tickets('stream'));
      host.controller([ticketAction(tickets)]);
      host.protocol(new SseProtocol(host.config.sse as unknown as SseConfig, tickets));
    },
  });
}
