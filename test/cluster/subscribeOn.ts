import type { JsonObject } from '@millrace/kernel';
import type { Node } from './openNodes.js';

export const AT = { index: 'shop', collection: 'things' };
const RED = { equals: { colour: 'red' } };

interface Subscribed {
  readonly channel: string;
  readonly cursor: string;
  readonly resumed: boolean;
  readonly gap?: { readonly reason: string };
}

/** A client of a node with one subscription. */
export async function subscribe(
  node: Node,
  fields: JsonObject = { mode: 'auto' },
  at: JsonObject = AT,
  body: JsonObject = RED,
  test: JsonObject = {},
) {
  const client = node.connect();
  // The channel is known before the answer: replays begin with it.
  const known = await client.request({ controller: 'realtime', action: 'subscribe', ...at, body, ...test });
  const { channel } = known.result as unknown as Subscribed;
  client.channels.add(channel);
  const { result, error, status } = await client.request({
    controller: 'realtime',
    action: 'subscribe',
    ...at,
    body,
    ...test,
    ...fields,
  });
  const answer = result as unknown as Subscribed;
  const lines = () =>
    client.received.flatMap(({ message, channel: on }) => {
      if (on !== channel) return [];
      const { action, scope, result: about, cursor, replayed } = message as unknown as JsonObject;
      const { _id: id, reason } = about as JsonObject;
      const parts = [action, scope, id ?? reason, replayed === true ? 'replayed' : null];
      const line = parts.filter((each) => typeof each === 'string').join(' ');
      return [{ line, cursor: cursor as string }];
    });
  return { client, answer, status, error, lines };
}
