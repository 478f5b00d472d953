import { isError } from '@millrace/client';
import { run, type Fields } from '../connection.js';
import { toText } from '../kit/JsonField.jsx';
import { Empty, Failed, Loading } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { changesBetween } from './merge.js';

/** A recorded change of the document; without `source` it was deleted. */
interface Version {
  readonly action: string;
  readonly timestamp: number;
  readonly version: number;
  readonly source: Fields | undefined;
  readonly by: string | undefined;
}

interface Changes {
  readonly changes: readonly {
    readonly action: string;
    readonly timestamp: number;
    readonly result: {
      readonly _version: number;
      readonly _source?: Fields;
      readonly _meta?: { readonly updater?: string | null; readonly author?: string | null };
    };
  }[];
  readonly cursor: string;
  readonly upToDate: boolean;
}

/** Of 1,000 changes each. */
const MAX_PAGES = 20;

const GAPS: Readonly<Record<string, string>> = {
  not_recorded: 'The changes of this collection are not recorded.',
  wiped: 'The collection was emptied or deleted, and earlier versions with it.',
  too_much: 'The log has more changes of this collection than the server reads at once.',
};

/** The versions of a document that the change log still has, the newest first. */
export function History({
  index,
  collection,
  id,
  current,
  onTake,
}: {
  readonly index: string;
  readonly collection: string;
  readonly id: string;
  /** Version that is shown: another one is read again. */
  readonly current: number;
  /** Takes the content of a version into the editor; undefined: the user may not change it. */
  readonly onTake: ((source: Fields) => void) | undefined;
}) {
  const { value, error, reload } = useLoad(
    (signal) => readVersions({ index, collection, id }, signal),
    [index, collection, id, current],
  );
  if (isError(error, 'realtime.gap')) {
    const { reason = '' } = (error.details ?? {}) as { readonly reason?: string };
    return (
      <Empty title="No history">
        <p class="soft">{GAPS[reason] ?? error.message}</p>
      </Empty>
    );
  }
  if (error !== undefined) return <Failed error={error} retry={reload} />;
  if (value === undefined) return <Loading />;
  if (value.length === 0) {
    return (
      <Empty title="No recorded changes yet">
        <p class="soft">
          The log has the changes since the collection was first subscribed to, for the time of realtime.history. With{' '}
          <code>realtime.history.collections: "all"</code> every change is recorded.
        </p>
      </Empty>
    );
  }
  return (
    <ol class="stack" aria-label="Versions, the newest first" data-state="versions">
      {value.map((each, position) => (
        <li key={each.version} class="card stack tight">
          <Line version={each} before={value[position + 1]?.source} onTake={onTake} />
        </li>
      ))}
    </ol>
  );
}

async function readVersions(
  { index, collection, id }: { readonly index: string; readonly collection: string; readonly id: string },
  signal: AbortSignal,
): Promise<readonly Version[]> {
  const versions: Version[] = [];
  let cursor = 'oldest';
  for (let page = 0; page < MAX_PAGES; page++) {
    const asked = { index, collection, cursor, filter: { ids: { values: [id] } } };
    const answer = await run<Changes>('realtime.changes', asked, { signal });
    for (const { action, timestamp, result } of answer.changes) {
      const { _version: version, _source: source, _meta: meta } = result;
      versions.push({ action, timestamp, version, source, by: meta?.updater ?? meta?.author ?? undefined });
    }
    if (answer.upToDate) break;
    ({ cursor } = answer);
  }
  return versions.reverse();
}

function Line({
  version: { action, timestamp, version, source, by },
  before,
  onTake,
}: {
  readonly version: Version;
  readonly before: Fields | undefined;
  readonly onTake: ((source: Fields) => void) | undefined;
}) {
  const changed = source === undefined || before === undefined ? [] : changesBetween(before, source);
  return (
    <>
      <div class="row">
        <strong>Version {version}</strong>
        <span class="soft small">
          {action === 'create' ? 'created' : source === undefined ? 'deleted' : 'changed'}{' '}
          {new Date(timestamp).toLocaleString()}
          {by !== undefined && (
            <>
              {' '}
              by <bdi>{by}</bdi>
            </>
          )}
        </span>
        <span class="grow" />
        {source !== undefined && onTake !== undefined && (
          <button type="button" class="quiet" onClick={() => onTake(source)}>
            Take into the form
          </button>
        )}
      </div>
      {changed.map(({ path, before: was, after: is }) => (
        <p class="small" key={path.join('.')}>
          <bdi>{path.join('.')}</bdi>: <del>{brief(was)}</del> → <ins>{brief(is)}</ins>
        </p>
      ))}
      {source !== undefined && (
        <details>
          <summary class="small">Content</summary>
          <pre class="code answer" tabIndex={0} aria-label={`Content of version ${version}`}>
            {toText(source)}
          </pre>
        </details>
      )}
    </>
  );
}

const MAX_CHARACTERS = 80;

function brief(value: unknown): string {
  if (value === undefined) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
