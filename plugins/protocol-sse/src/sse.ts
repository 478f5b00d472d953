import { defineAction, definePlugin, route, schema, type ActionDefinition, type Plugin } from '@millrace/kernel';
import { sseConfig, type SseConfig } from './config.js';
import { SseProtocol } from './SseProtocol.js';
import { StreamTickets } from './StreamTickets.js';

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

/** The action that creates tickets. */
function ticketAction(tickets: StreamTickets): ActionDefinition {
  return defineAction({
    controller: 'auth',
    action: 'createTicket',
    summary: 'Creates a ticket that stands for the token once, in the address of a stream.',
    routes: [route('POST /_ticket')],
    writes: false,
    args: {},
    // The ticket gives nothing that the token doesn't give.
    authorizesItself: true,
    result: schema.object({
      ticket: schema.text,
      expiresAt: { ...schema.integer(), description: 'UTC milliseconds.' },
    }),
    run: ({ request }) => tickets.issue(request),
  });
}
