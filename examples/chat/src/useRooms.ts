import type { Hit } from '@millrace/client';
import { useFollow } from '@millrace/react';
import { messages, rooms, type Message, type Room } from './client';

/** A room, with its newest message if it has one. */
export interface ListedRoom {
  readonly id: string;
  readonly room: Room;
  readonly newest: Pick<Message, 'author' | 'text'> | undefined;
}

interface NewestMessages {
  readonly rooms: {
    readonly buckets: readonly {
      readonly key: string;
      readonly newest: {
        readonly hits: { readonly hits: readonly { readonly _source: Message }[] };
      };
    }[];
  };
}

/** The newest message of each room: rooms with the latest messages first. */
const NEWEST = {
  size: 0,
  aggs: {
    rooms: {
      terms: { field: 'room', size: 200, order: { at: 'desc' } },
      aggs: {
        at: { max: { field: '_meta.createdAt' } },
        newest: { top_hits: { size: 1, sort: [{ '_meta.createdAt': 'desc' }] } },
      },
    },
  },
};

/**
 * The rooms that the user may see, those with the newest messages first. The server keeps both lists up to date, and
 * sends what changes in them.
 */
export function useRooms(): readonly ListedRoom[] {
  const { data: all } = useFollow(rooms, { sort: ['name'], size: 200 });
  const { data: found } = useFollow(messages, NEWEST, { maxRateMs: 500 });
  const { buckets = [] } = (found?.aggregations as NewestMessages | undefined)?.rooms ?? {};
  const place = new Map(buckets.map(({ key }, at) => [key, at]));
  const placeOf = ({ id }: Hit<Room>) => place.get(id) ?? buckets.length;
  return (all?.hits ?? [])
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((hit) => ({
      id: hit.id,
      room: hit.source,
      newest: buckets[placeOf(hit)]?.newest.hits.hits[0]?._source,
    }));
}
