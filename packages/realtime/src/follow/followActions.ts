import { alsoInBody, boolean, defineAction, integer, required, text, type ActionDefinition } from '@millrace/kernel';
import { realtimeArguments } from '../actions/realtimeArguments.js';
import { realtimeSchemas } from '../actions/realtimeSchemas.js';
import type { Follows } from './Follows.js';

const { index, collection } = realtimeArguments;
const MAX_RATE_MS = 60_000;

/** The actions realtime.follow and realtime.unfollow. */
export function followActions(follows: Follows): readonly ActionDefinition[] {
  return [
    defineAction({
      controller: 'realtime',
      action: 'follow',
      routes: [],
      writes: false,
      queue: 'follow',
      summary: 'Searches a collection, then sends what changes in the result.',
      args: {
        index,
        collection,
        cursor: text(),
        maxRateMs: integer(0, MAX_RATE_MS),
        strict: boolean(),
      },
      content: realtimeSchemas.search,
      result: realtimeSchemas.followed,
      run: ({ request, args, body }) =>
        follows.follow(request, {
          name: { index: args.index, collection: args.collection },
          search: body ?? {},
          cursor: args.cursor,
          maxRateMs: args.maxRateMs ?? 0,
          isStrict: args.strict ?? false,
        }),
    }),
    defineAction({
      controller: 'realtime',
      action: 'unfollow',
      routes: [],
      writes: false,
      queue: 'immediate',
      summary: 'Ends a followed search.',
      args: { followId: alsoInBody(required(text())) },
      // Ending the caller's own requires no further right (SEC-32).
      authorizesItself: true,
      result: realtimeSchemas.unfollowed,
      run: ({ request, args }) => follows.unfollow(request, args.followId),
    }),
  ];
}
