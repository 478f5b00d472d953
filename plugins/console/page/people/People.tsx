import { useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Tabs } from '../kit/Tabs.jsx';
import { Pager } from '../kit/Pager.jsx';
import { Empty, Failed, Loading } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { navigate, useRoute } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { AccountDrawer, type AccountView } from './AccountDrawer.jsx';
import { ACCOUNTS, type AccountKind } from './ACCOUNTS.js';

/** A user, a profile or a role as the server lists it. */
interface Listed {
  readonly _id: string;
  readonly _source: Fields;
}

const PAGE_SIZE = 100;

/** Users, profiles and roles. */
export function People() {
  const { path, query } = useRoute();
  const { rights } = useSession();
  const [search, setSearch] = useState('');
  const kind: AccountKind = path[1] === 'profiles' || path[1] === 'roles' ? path[1] : 'users';
  const { title, one, searchAction, createAction, columns } = ACCOUNTS[kind];
  const page = Math.max(1, Number(query['page'] ?? 1) || 1);
  const { value, error, isLoading, reload } = useLoad(
    (signal) =>
      run<{ total: number; hits: Listed[] }>(
        searchAction,
        { body: { from: (page - 1) * PAGE_SIZE, size: PAGE_SIZE } },
        { signal },
      ).then((found) => ({ ...found, kind })),
    [kind, page],
  );
  const open = (id: string | undefined, isNew = false) =>
    navigate(['people', kind], { id, new: isNew ? '1' : undefined });
  const hits =
    value?.kind === kind ? value.hits.filter(({ _id }) => _id.toLowerCase().includes(search.toLowerCase())) : undefined;
  return (
    <section class="collection people" aria-label={title}>
      <header class="collection-head">
        <h1>People</h1>
        <Tabs
          label="Kind of account"
          value={kind}
          options={[
            ['users', 'Users'],
            ['profiles', 'Profiles'],
            ['roles', 'Roles'],
          ]}
          onChange={(next) => navigate(['people', next])}
        />
      </header>
      <div class="documents">
        <div class="grid-head">
          <input
            type="search"
            aria-label={`Filter ${kind}`}
            placeholder="Filter by name"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          {value !== undefined && value.kind === kind && (
            <span class="soft">
              {value.total} {value.total === 1 ? one : kind}
            </span>
          )}
          <span class="grow" />
          {rights.mayAnywhere(createAction) && (
            <button type="button" class="primary" onClick={() => open(undefined, true)}>
              New {one}
            </button>
          )}
        </div>
        {error !== undefined ? (
          <Failed error={error} retry={reload} />
        ) : hits === undefined ? (
          isLoading ? (
            <Loading lines={8} />
          ) : null
        ) : hits.length === 0 ? (
          <Empty title={search === '' ? `No ${kind} yet` : 'No name contains this'}>
            <p class="soft">{search === '' ? 'Create the first one.' : 'Only this page of the list is filtered.'}</p>
          </Empty>
        ) : (
          <div class="grid" data-state="rows">
            <table>
              <thead>
                <tr>
                  <th scope="col">_id</th>
                  {columns.map(([name]) => (
                    <th scope="col" key={name}>
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {hits.map((hit) => (
                  <tr key={hit._id} class={hit._id === query['id'] ? 'open' : ''} onClick={() => open(hit._id)}>
                    <td class="id" data-label="_id">
                      <button type="button" class="link" onClick={() => open(hit._id)}>
                        <bdi>{hit._id}</bdi>
                      </button>
                    </td>
                    {columns.map(([name, show]) => (
                      <td key={name} data-label={name}>
                        <bdi>{show(hit._source)}</bdi>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {value !== undefined && value.total > PAGE_SIZE && (
          <Pager
            page={page}
            last={Math.ceil(value.total / PAGE_SIZE)}
            onPage={(next) => navigate(['people', kind], { page: String(next) })}
          />
        )}
        {(query['id'] !== undefined || query['new'] !== undefined) && (
          <AccountDrawer
            key={`${kind}/${query['id'] ?? ''}`}
            kind={kind}
            id={query['id']}
            view={query['tab'] as AccountView | undefined}
            onView={(tab) => navigate(['people', kind], { ...query, tab }, { replaces: true })}
            onClose={() => open(undefined)}
            onChanged={reload}
          />
        )}
      </div>
    </section>
  );
}
