import type { Followed, FollowedResult, FollowOptions } from '@millrace/client/follow';
import type { ViewSource } from './LiveView.js';
import type { FollowableCollection, SearchOf } from './views.js';

const STATUSES = { connecting: 'loading', live: 'live', waiting: 'resuming' } as const;

/** The result of a search that the server keeps up to date. */
export function followed<T>(
  collection: FollowableCollection<T>,
  search: SearchOf<T>,
  options: FollowOptions,
): ViewSource<FollowedResult<T>> {
  return {
    // Without a position: a page begins with a whole result (FOLLOW-1).
    async load() {
      const { hits, total, aggregations } = await collection.search(search);
      return { data: { hits, total, aggregations } };
    },
    open(view) {
      const opened = collection.follow(search, options) as Followed<T>;
      const show = () => {
        const { result, status, error } = opened;
        if (error !== undefined) view.set({ status: 'error', error });
        else if (status !== 'ended') view.set({ status: STATUSES[status], ...(result && { data: result }) });
      };
      opened.onChange(show);
      return opened;
    },
  };
}
