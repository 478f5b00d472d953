import { run, type Fields } from '../connection.js';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { placeFor } from '../people/RolePlace.js';
import { RightsTable } from '../people/RightsTable.jsx';
import { toHash } from '../shell/route.js';

const MAX_ROLES = 200;

interface Roles {
  readonly hits: readonly { readonly _id: string; readonly _source: Fields }[];
  readonly total: number;
}

/** The roles that have rights on the documents of a collection. */
export function WhoMay({ index, collection }: { readonly index: string; readonly collection: string }) {
  const roles = useLoad((signal) => run<Roles>('security.searchRoles', { size: MAX_ROLES }, { signal }), []);
  return (
    <Show loaded={roles}>
      {({ hits, total }) => {
        const rows = hits.flatMap(({ _id: title, _source }) => {
          const place = placeFor(_source, index, collection);
          const href = toHash(['people', 'roles'], { id: title });
          return place === undefined ? [] : [{ title, href, place }];
        });
        return (
          <>
            {rows.length === 0 && <Empty title="No role has rights here" />}
            {rows.length > 0 && <RightsTable label="Rights of roles on this collection" head="Role" rows={rows} />}
            {total > hits.length && <p class="soft small">The first {MAX_ROLES} roles.</p>}
            <p class="soft small">
              Profiles may restrict a role to some collections. A role shows who has it; <em>Try it</em> there says what
              a user may do, and why.
            </p>
          </>
        );
      }}
    </Show>
  );
}
