import type { Hit } from '@millrace/client';
import type { DocumentState } from '@millrace/client/offline';
import type { RealtimeEvent } from '@millrace/client/realtime';
import { useSubscription } from '@millrace/react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { messages, type Message } from './client';

const PAGE_SIZE = 40;

type StoredMessage = Pick<Hit<Message>, 'id' | 'version' | 'source' | 'meta'>;

/** A message as it is shown; one that isn't sent has no `version` and no `meta` yet. */
export type ShownMessage = Omit<StoredMessage, 'meta' | 'version'> & Partial<StoredMessage> & DocumentState;

const watchUnsent = (listener: () => void) => messages.offline.subscribe(listener);
const readUnsent = () => messages.offline.getSnapshot();

/**
 * The messages of a room, oldest first. The newest ones are read once the room is subscribed, so that none is missing
 * in between; from there on each change is applied as it arrives. After a lost connection what was missed arrives too;
 * only if the server says that something is missing (a gap) the messages are read again. What the user has written, changed
 * or deleted is shown at once, also while it can't be sent.
 */
export function useMessages(room: string) {
  const [list, setList] = useState<readonly StoredMessage[]>();
  const [hasOlder, setHasOlder] = useState(false);
  const [error, setError] = useState<unknown>();
  /** Events that arrive while the messages are read. */
  const early = useRef<RealtimeEvent<Message>[]>(undefined);

  const status = useSubscription(messages, { query: { term: { room } } }, (event) => {
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
    const older = toList(hits);
    setList((known = []) => [...older.filter(({ id }) => !known.some((each) => each.id === id)), ...known]);
    setHasOlder(hits.length === PAGE_SIZE);
  }

  useSyncExternalStore(watchUnsent, readUnsent);
  const shown: readonly ShownMessage[] | undefined =
    list && messages.offline.overlay(list).filter(({ source }) => source.room === room);

  return { list: shown, error, hasOlder, readOlder, readNewest };
}

/** A page of messages, newest first: those before `next`, or the newest. */
async function readPage(room: string, next?: StoredMessage) {
  const { hits } = await messages.search({
    query: { term: { room } },
    sort: [{ '_meta.createdAt': 'desc' }, '_id'],
    size: PAGE_SIZE,
    ...(next && { search_after: [next.meta.createdAt, next.id] }),
  });
  return hits;
}

function toList(hits: readonly Hit<Message>[]): readonly StoredMessage[] {
  return hits.toReversed();
}

/** The messages after a change. An event may say what was read already. */
function apply(list: readonly StoredMessage[], event: RealtimeEvent<Message>) {
  if (event.kind === 'left') return list.filter(({ id }) => id !== event.id);
  if (event.kind !== 'changed') return list;
  const { id, version, source, meta } = event;
  const message = { id, version, source, meta };
  const known = list.find((each) => each.id === id);
  if (known === undefined) {
    // A change of an older message, which isn't shown yet.
    return event.action === 'update' ? list : [...list, message].sort(byTime);
  }
  const isNewer = version > known.version;
  return isNewer ? list.map((each) => (each === known ? message : each)) : list;
}

function byTime(a: StoredMessage, b: StoredMessage): number {
  return (a.meta.createdAt ?? 0) - (b.meta.createdAt ?? 0);
}
