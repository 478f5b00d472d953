import { defineAction, route, schema, type ActionDefinition } from '@millrace/kernel';
import type { StreamTickets } from './StreamTickets.js';

/** The action that creates tickets. */
export function ticketAction(tickets: StreamTickets): ActionDefinition {
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
