import type { Hit } from '@millrace/client';
import { useEffect, useState } from 'preact/hooks';
import { client, type Fields } from '../connection.js';

/** The documents of a page of the grid. */
export interface Rows {
  /** Undefined until the first answer. */
  readonly hits: readonly Hit<Fields>[] | undefined;
  readonly total: number;
  readonly tookMs: number | undefined;
  /** Results by the names of aggregations; undefined if the search has none. */
  readonly aggregations: unknown;
  /** `live`: changes arrive as they are made; `waiting`: the connection is lost, and tries again. */
  readonly status: 'loading' | 'shown' | 'live' | 'waiting' | 'failed';
  readonly error: unknown;
  /** Why the search is not live although it should be. */
  readonly notLive: string | undefined;
}

/** Without a connection for changes after this time, the documents are searched. */
const CONNECT_MS = 2_000;

const NONE: Rows = {
  hits: undefined,
  total: 0,
  tookMs: undefined,
  aggregations: undefined,
  status: 'loading',
  error: undefined,
  notLive: undefined,
};

/**
 * Searches, once or with every change.
 * @param search body of the search; undefined: not known yet
 * @param turn changes when the search has to run again
 */
export function useRows(
  index: string,
  collection: string,
  search: Fields | undefined,
  isLive: boolean,
  turn: number,
): Rows {
  const [rows, setRows] = useState<Rows>(NONE);
  const key = JSON.stringify(search);
  useEffect(() => {
    if (search === undefined) return undefined;
    const abort = new AbortController();
    setRows((last) => ({ ...last, status: 'loading', error: undefined }));
    const documents = client.collection(index, collection);
    let isFollowed = false;
    const searchOnce = async (notLive?: string) => {
      try {
        const { hits, total, tookMs, aggregations } = await documents.search(search, { signal: abort.signal });
        if (isFollowed) return;
        const shown = hits as readonly Hit<Fields>[];
        setRows({ hits: shown, total, tookMs, aggregations, status: 'shown', error: undefined, notLive });
      } catch (error) {
        if (!abort.signal.aborted && !isFollowed) setRows({ ...NONE, status: 'failed', error });
      }
    };
    if (!isLive) {
      void searchOnce();
      return () => abort.abort();
    }
    const followed = documents.follow(search);
    const read = () => {
      const { result, status, error } = followed;
      // What can't be followed can be searched: the search has the better message if it fails too.
      if (status === 'ended' && error !== undefined) return void searchOnce(error.message);
      if (result === undefined) return undefined;
      isFollowed = true;
      const hits = result.hits as readonly Hit<Fields>[];
      const shown = status === 'live' ? 'live' : 'waiting';
      return setRows({
        hits,
        total: result.total,
        tookMs: undefined,
        aggregations: result.aggregations,
        status: shown,
        error: undefined,
        notLive: undefined,
      });
    };
    const forget = followed.onChange(read);
    read();
    const connecting = setTimeout(() => {
      if (followed.status === 'connecting') void searchOnce('There is no connection for changes');
    }, CONNECT_MS);
    return () => {
      clearTimeout(connecting);
      forget();
      abort.abort();
      followed.close();
    };
  }, [index, collection, key, isLive, turn]);
  return rows;
}
