import { isError } from '@millrace/client';
import { useState } from 'preact/hooks';
import { run } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { Facts } from '../kit/Facts.jsx';
import { Failed, Loading } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { readMetrics } from '../server/readMetrics.js';
import { toBytes } from '../server/sizes.js';
import { useSession } from '../shell/Session.js';

interface Place {
  readonly index: string;
  readonly collection: string;
}

interface Recorded {
  readonly changes: string;
  readonly since: string | undefined;
  /** Of the whole log; undefined: the user may not read it. */
  readonly logSize: string | undefined;
}

/** What the change log has of a collection, and what erases it. */
export function RecordedChanges({ index, collection }: Place) {
  const { rights } = useSession();
  const [isErasing, setErasing] = useState(false);
  const maySize = rights.may('server.metrics');
  const { value, error, reload } = useLoad(
    (signal) => readRecorded({ index, collection }, maySize, signal),
    [index, collection],
  );
  if (error !== undefined) return <Failed error={error} retry={reload} />;
  if (value === undefined) return <Loading />;
  const { changes, since, logSize } = value;
  return (
    <div class="stack">
      <Facts
        facts={[
          ['Recorded changes', changes],
          ['The oldest', since],
          ['Whole change log', logSize],
        ]}
      />
      <p class="soft small">
        Clients that were away continue from there, and documents show their history. How long changes are kept is
        configured at <code>realtime.history</code>.
      </p>
      {rights.may('collection.eraseHistory', index, collection) && (
        <div class="row spread">
          <p>
            Erase the recorded changes <span class="soft small">with the content of deleted documents</span>
          </p>
          <button type="button" class="danger-text" onClick={() => setErasing(true)}>
            Erase…
          </button>
        </div>
      )}
      {isErasing && (
        <Confirm
          title="Erase the recorded changes?"
          verb="Erase"
          typed={collection}
          onClose={() => setErasing(false)}
          onConfirm={async () => {
            await run('collection.eraseHistory', { index, collection });
            reload();
          }}
        >
          <p>
            Documents stay. Clients that were away read all of their data again, and earlier versions of documents are
            gone.
          </p>
        </Confirm>
      )}
    </div>
  );
}

async function readRecorded(place: Place, maySize: boolean, signal: AbortSignal): Promise<Recorded> {
  const bytes = maySize ? (await readMetrics(signal)).values.get('millrace_change_log_bytes') : undefined;
  const logSize = bytes === undefined ? undefined : toBytes(bytes);
  try {
    const { changes, upToDate } = await run<{
      readonly changes: readonly { readonly timestamp: number }[];
      readonly upToDate: boolean;
    }>('realtime.changes', { ...place, cursor: 'oldest' }, { signal });
    const [oldest] = changes;
    const since = oldest === undefined ? undefined : new Date(oldest.timestamp).toLocaleString();
    return { changes: `${changes.length.toLocaleString()}${upToDate ? '' : ' and more'}`, since, logSize };
  } catch (error) {
    if (!isError(error, 'realtime.gap')) throw error;
    const { reason } = (error.details ?? {}) as { readonly reason?: string };
    return { changes: reason === 'too_much' ? 'more than 10,000' : 'none', since: undefined, logSize };
  }
}
