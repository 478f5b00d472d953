import { useState } from 'preact/hooks';
import { Menu } from '../kit/Menu.jsx';
import { Modal } from '../kit/Modal.jsx';
import { useSession } from '../shell/Session.js';

/** A query under a name, as the parameters of the address. */
interface Saved {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

const MAX_SAVED = 50;
/** What makes a query, without the open document and the page. */
const KEPT = ['depth', 'q', 'f', 'json', 'sort', 'columns', 'chart', 'every'] as const;

/** Queries that the user has saved in this browser. */
export function SavedQueries({
  index,
  collection,
  query,
  onOpen,
}: {
  readonly index: string;
  readonly collection: string;
  readonly query: Readonly<Record<string, string>>;
  readonly onOpen: (query: Readonly<Record<string, string | undefined>>) => void;
}) {
  const { userId } = useSession();
  const place = `millrace.queries/${userId}/${index}/${collection}`;
  const [saved, setSaved] = useState(() => readSaved(place));
  const [name, setName] = useState<string>();
  const change = (next: readonly Saved[]) => {
    setSaved(next);
    writeSaved(place, next);
  };
  return (
    <>
      <Menu title="Saved">
        {(close) => (
          <>
            {saved.length === 0 && <p class="soft small pad">No saved queries yet</p>}
            {saved.map((each) => (
              <div class="row" key={each.name}>
                <button
                  type="button"
                  class="grow"
                  onClick={() => {
                    close();
                    // Parameters that the saved query doesn't have are removed.
                    onOpen({ ...Object.fromEntries(KEPT.map((key) => [key, undefined])), ...each.query });
                  }}
                >
                  <bdi>{each.name}</bdi>
                </button>
                <button
                  type="button"
                  class="icon"
                  aria-label={`Remove ${each.name}`}
                  onClick={() => change(saved.filter((other) => other !== each))}
                >
                  ✕
                </button>
              </div>
            ))}
            <button
              type="button"
              disabled={saved.length >= MAX_SAVED}
              onClick={() => {
                close();
                setName('');
              }}
            >
              Save this query…
            </button>
          </>
        )}
      </Menu>
      {name !== undefined && (
        <Modal title="Save this query" onClose={() => setName(undefined)}>
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              const kept = KEPT.flatMap((key) => (query[key] === undefined ? [] : [[key, query[key]] as const]));
              const others = saved.filter((each) => each.name !== name);
              change([...others, { name, query: Object.fromEntries(kept) }]);
              setName(undefined);
            }}
          >
            <label class="field">
              <span>
                Name <span class="soft small">kept in this browser</span>
              </span>
              <input
                required
                maxLength={60}
                autocomplete="off"
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </label>
            <div class="row end">
              <button type="submit" class="primary">
                Save
              </button>
            </div>
          </form>
        </Modal>
      )}
    </>
  );
}

function readSaved(place: string): readonly Saved[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return Array.isArray(list) ? (list as readonly Saved[]).filter((each) => typeof each?.name === 'string') : [];
  } catch {
    return [];
  }
}

/** Without storage, as in private windows, the queries last as long as the page. */
function writeSaved(place: string, saved: readonly Saved[]): void {
  try {
    localStorage.setItem(place, JSON.stringify(saved));
  } catch {
    // It is full, or switched off.
  }
}
