import { alsoInBody, defineAction, required, route, text, type ActionDefinition } from '@millrace/kernel';
import { realtimeSchemas } from '../actions/realtimeSchemas.js';
import { nameArgument } from '../actions/realtimeArguments.js';
import type { Names } from './Names.js';

// Users see and change their own only, which requires no further right (RESUME-47).
const OWN = { controller: 'realtime', routes: [], writes: false, authorizesItself: true } as const;

/** Actions on named subscriptions. */
export function nameActions(names: Names): readonly ActionDefinition[] {
  const name = alsoInBody(required(nameArgument()));
  return [
    defineAction({
      ...OWN,
      action: 'ack',
      queue: 'immediate',
      summary: 'Acknowledges the notifications of a named subscription up to a cursor.',
      args: { name, cursor: alsoInBody(required(text())) },
      result: realtimeSchemas.acknowledged,
      run: ({ request, args }) => {
        const cursor = names.acknowledge(request, args.name, args.cursor);
        return { name: args.name, cursor };
      },
    }),
    defineAction({
      ...OWN,
      action: 'listNames',
      summary: 'Lists the named subscriptions of the user.',
      routes: [route('GET /_namedSubscriptions')],
      args: {},
      result: realtimeSchemas.names,
      run: async ({ request }) => ({ names: await names.list(request) }),
    }),
    defineAction({
      ...OWN,
      action: 'deleteName',
      summary: 'Removes a named subscription of the user.',
      routes: [route('DELETE /_namedSubscriptions/:name')],
      args: { name },
      result: realtimeSchemas.name,
      run: async ({ request, args }) => {
        await names.remove(request, args.name);
        return { name: args.name };
      },
    }),
  ];
}
