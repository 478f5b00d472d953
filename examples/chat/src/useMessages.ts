import type { Document, Hit } from '@millrace/client';
import type { RealtimeEvent } from '@millrace/client/realtime';
import { useSubscription } from '@millrace/react';
import { useEffect, useRef, useState } from 'react';
import { messages, type Message } from './client';

const PAGE_SIZE = 40;

export type ShownMessage = Pick<Document<Message>, 'id' | 'version' | 'source' | 'meta'>;

/**
 * The messages of a room, oldest first. The newest ones are read once the room is subscribed, so that none is missing
 * in between; from there on each change is applied as it arrives. After a lost connection what was missed arrives too;
 * only if the server says that something is missing (a gap) the messages are read again.
 */
export function useMessages(room: string) {
  const [list, setList] = useState<readonly ShownMessage[]>();
  const [hasOlder, setHasOlder] = useState(false);
  const [error, setError] = useState<unknown>();
  /** Events that arrive while the messages are read. */
  const early = useRef<RealtimeEvent<Message>[]>(undefined);

  const status = useSubscription(messages, { equals: { room } }, (event) => {
    if (event.kind === 'gap') void readNewest();
    else if (early.current !== undefined) early.current.push(event);
    else setList((known) => known && apply(known, event));
  });

  async function readNewest() {
    const arrived: RealtimeEvent<Message>[] = (early.current = []);
    try {
      const hits = await readPage(room);
      if (early.current !== arrived) return;
      setList(arrived.reduce(apply, toList(hits)));
      setHasOlder(hits.length === PAGE_SIZE);
      setError(undefined);
    } catch (reason) {
      setError(reason);
    }
    early.current = undefined;
  }

  useEffect(() => {
    if (status === 'live' && list === undefined) void readNewest();
  }, [status]);

  async function readOlder() {
    const hits = await readPage(room, list?.[0]);
    setList((known = []) => [...toList(hits), ...known]);
    setHasOlder(hits.length === PAGE_SIZE);
  }

  return { list, status, error, hasOlder, readOlder, readNewest };
}

/** A page of messages, newest first: those before `next`, or the newest. */
async function readPage(room: string, next?: ShownMessage) {
  const { hits } = await messages.search({
    query: { term: { room } },
    sort: [{ '_meta.createdAt': 'desc' }, '_id'],
    size: PAGE_SIZE,
    version: true,
    ...(next && { search_after: [next.meta.createdAt, next.id] }),
  });
  return hits;
}

function toList(hits: readonly Hit<Message>[]): readonly ShownMessage[] {
  return hits.map((hit) => ({ ...hit, version: hit.version ?? 1 })).reverse();
}

/** The messages after a change. An event may say what was read already. */
function apply(list: readonly ShownMessage[], event: RealtimeEvent<Message>) {
  if (event.kind === 'left') return list.filter(({ id }) => id !== event.id);
  if (event.kind !== 'changed') return list;
  const { id, version, source, meta } = event;
  const message = { id, version, source, meta };
  const known = list.find((each) => each.id === id);
  if (known === undefined) return [...list, message].sort(byTime);
  return known.version >= version ? list : list.map((each) => (each === known ? message : each));
}

function byTime(a: ShownMessage, b: ShownMessage): number {
  return (a.meta.createdAt ?? 0) - (b.meta.createdAt ?? 0);
}
