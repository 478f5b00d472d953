import { run, type Fields } from '../connection.js';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toHash } from '../shell/route.js';

interface Holder {
  readonly _id: string;
  readonly _source: Fields;
}

interface Holders {
  readonly profiles: readonly string[];
  readonly users: readonly string[];
  readonly userCount: number;
}

/** More are counted, not listed. */
const MAX_SHOWN = 100;

/** The profiles that name a role, and the users who have them. */
export async function readHolders(kind: 'profiles' | 'roles', id: string, signal?: AbortSignal): Promise<Holders> {
  const options = signal === undefined ? {} : { signal };
  const search = (action: string, body: Fields) =>
    run<{ hits: Holder[]; total: number }>(action, { body, size: MAX_SHOWN }, options);
  const profiles =
    kind === 'profiles'
      ? [id]
      : (await search('security.searchProfiles', { policies: [id] })).hits.map(({ _id }) => _id);
  if (profiles.length === 0) return { profiles, users: [], userCount: 0 };
  const users = await search('security.searchUsers', { query: { terms: { profileIds: profiles } }, sort: ['_id'] });
  return { profiles, users: users.hits.map(({ _id }) => _id), userCount: users.total };
}

/** Who has a role or a profile. */
export function WhoHasIt({ kind, id }: { readonly kind: 'profiles' | 'roles'; readonly id: string }) {
  const holders = useLoad((signal) => readHolders(kind, id, signal), [kind, id]);
  return (
    <Show loaded={holders}>
      {({ profiles, users, userCount }) => (
        <div class="stack">
          {kind === 'roles' && (
            <section class="stack tight">
              <h3>Profiles that name it</h3>
              {profiles.length === 0 ? (
                <Empty title="No profile names this role">
                  <p class="soft">Name it in a profile: the users who have the profile get these rights.</p>
                </Empty>
              ) : (
                <Links kind="profiles" ids={profiles} />
              )}
            </section>
          )}
          <section class="stack tight">
            <h3>Users who have it{userCount > users.length && ` (${users.length} of ${userCount})`}</h3>
            {id === 'anonymous' && <p class="soft">Every caller without a login.</p>}
            {users.length > 0 ? (
              <Links kind="users" ids={users} />
            ) : (
              <Empty title="No user has it">
                <p class="soft">Add {kind === 'roles' ? 'a profile that names it' : 'it'} to a user’s profiles.</p>
              </Empty>
            )}
          </section>
        </div>
      )}
    </Show>
  );
}

function Links({ kind, ids }: { readonly kind: 'users' | 'profiles'; readonly ids: readonly string[] }) {
  return (
    <ul class="links">
      {ids.map((id) => (
        <li key={id}>
          <a href={toHash(['people', kind], { id })}>
            <bdi>{id}</bdi>
          </a>
        </li>
      ))}
    </ul>
  );
}
