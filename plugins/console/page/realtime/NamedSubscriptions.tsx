import { useState } from 'preact/hooks';
import { run } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toHash } from '../shell/route.js';

interface Named {
  readonly name: string;
  readonly index: string;
  readonly collection: string;
  readonly filter: unknown;
  /** Acknowledged; null: nothing yet. */
  readonly cursor: string | null;
  readonly usedAt: number;
}

/** The subscriptions of the user whose position the server keeps, and what their clients have missed. */
export function NamedSubscriptions() {
  const names = useLoad((signal) => run<{ names: readonly Named[] }>('realtime.listNames', {}, { signal }), []);
  const [removed, setRemoved] = useState<Named>();
  return (
    <section class="card stack" aria-label="Named subscriptions">
      <header class="row spread">
        <h2>
          Your named subscriptions <span class="soft small">the server keeps their positions</span>
        </h2>
        <button type="button" class="quiet" onClick={names.reload}>
          Read again
        </button>
      </header>
      <Show loaded={names} lines={2}>
        {({ names: list }) =>
          list.length === 0 ? (
            <Empty title="No named subscriptions">
              <p class="soft">A client makes one when it subscribes with a name.</p>
            </Empty>
          ) : (
            <div class="grid plain">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Collection</th>
                    <th scope="col">Used</th>
                    <th scope="col">
                      <span class="hidden">Change</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((each) => (
                    <tr key={each.name}>
                      <th scope="row">
                        <bdi>{each.name}</bdi>
                      </th>
                      <td data-label="Collection">
                        <bdi>
                          {each.index}/{each.collection}
                        </bdi>
                      </td>
                      <td data-label="Used">{new Date(each.usedAt).toLocaleString()}</td>
                      <td class="ends">
                        {each.cursor !== null && (
                          <a
                            href={toHash(['realtime'], {
                              index: each.index,
                              collection: each.collection,
                              filter: JSON.stringify(each.filter),
                              cursor: each.cursor,
                            })}
                          >
                            What it missed
                          </a>
                        )}
                        <button type="button" class="quiet danger-text" onClick={() => setRemoved(each)}>
                          Remove…
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Show>
      {removed !== undefined && (
        <Confirm
          title="Remove the named subscription?"
          verb="Remove"
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await run('realtime.deleteName', { name: removed.name });
            names.reload();
          }}
        >
          <p>
            <code>{removed.name}</code> loses its position: its client begins again with a gap.
          </p>
        </Confirm>
      )}
    </section>
  );
}
