import { useState } from 'preact/hooks';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toHash, useRoute } from '../shell/route.js';
import { readActions, type ActionEntry } from './ActionCatalog.js';
import { ActionForm } from './ActionForm.jsx';
import { SentRequests } from './SentRequests.jsx';

/** Every action of the server and its plugins, with a form. */
export function Actions() {
  const { path, query } = useRoute();
  const actions = useLoad(readActions, []);
  const [filter, setFilter] = useState('');
  const chosen = actions.value?.find(({ name }) => name === path[1]);
  return (
    <div class={`data ${path[1] === undefined ? '' : 'chosen'}`}>
      <aside class="side" aria-label="Actions by controller">
        <Show loaded={actions} lines={10}>
          {(all) => (
            <>
              <div class="side-head">
                <input
                  type="search"
                  aria-label="Filter actions"
                  placeholder={`Filter ${all.length} actions`}
                  value={filter}
                  onInput={(event) => setFilter(event.currentTarget.value)}
                />
              </div>
              <List actions={all.filter((each) => fits(each, filter))} current={path[1]} isFiltered={filter !== ''} />
            </>
          )}
        </Show>
      </aside>
      <div class="pane">
        {chosen !== undefined ? (
          <ActionForm key={`${chosen.name} ${query['again'] ?? ''}`} action={chosen} />
        ) : path[1] !== undefined && actions.value !== undefined ? (
          <Empty title="There is no such action">
            <p class="soft">Its plugin may not be loaded.</p>
          </Empty>
        ) : (
          <>
            <Empty title="Choose an action">
              <p class="soft">Run it with your rights, or copy the call as curl, TypeScript or a message.</p>
            </Empty>
            <SentRequests />
          </>
        )}
      </div>
    </div>
  );
}

function fits({ name, summary }: ActionEntry, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/);
  const text = `${name} ${summary}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function List({
  actions,
  current,
  isFiltered,
}: {
  readonly actions: readonly ActionEntry[];
  readonly current: string | undefined;
  readonly isFiltered: boolean;
}) {
  const controllers = Map.groupBy(actions, ({ name }) => name.split('.')[0] ?? '');
  const isLong = (of: readonly ActionEntry[]) =>
    of.length > 40 && !isFiltered && !of.some(({ name }) => name === current);
  if (actions.length === 0) return <p class="soft pad">No action has these words.</p>;
  return (
    <nav class="tree" aria-label="Actions">
      {[...controllers].map(([controller, own]) => (
        <details key={controller} open={!isLong(own)}>
          <summary>
            <h2>{controller}</h2>
            <span class="count">{own.length}</span>
          </summary>
          {own.map(({ name }) => (
            <a key={name} href={toHash(['actions', name])} aria-current={name === current ? 'page' : undefined}>
              <bdi>{name.slice(controller.length + 1)}</bdi>
            </a>
          ))}
        </details>
      ))}
    </nav>
  );
}
