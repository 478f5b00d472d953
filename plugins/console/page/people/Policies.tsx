import { useState } from 'preact/hooks';
import { run, type Fields } from '../connection.js';
import { Empty } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toHash } from '../shell/route.js';

interface Policy {
  readonly roleId?: string;
  readonly restrictedTo?: readonly { readonly index: string; readonly collections?: readonly string[] }[];
}

/** The roles of a profile, each with the indexes and collections that it is restricted to. */
export function Policies({
  profile,
  isReadOnly,
  onChange,
}: {
  readonly profile: Fields;
  readonly isReadOnly: boolean;
  readonly onChange: (profile: Fields) => void;
}) {
  const policies: readonly Policy[] = Array.isArray(profile['policies']) ? profile['policies'] : [];
  const roles = useLoad(
    (signal) => run<{ hits: { _id: string }[] }>('security.searchRoles', { size: 1_000 }, { signal }),
    [],
  );
  const names = roles.value?.hits.map(({ _id }) => _id);
  const left = names?.filter((name) => !policies.some(({ roleId }) => roleId === name)) ?? [];
  const set = (next: readonly Policy[]) => onChange({ ...profile, policies: next });
  return (
    <div class="stack">
      {policies.length === 0 && (
        <Empty title="No roles">
          <p class="soft">Add a role: a profile has at least one.</p>
        </Empty>
      )}
      {policies.map((policy, position) => (
        <PolicyFields
          key={`${policy.roleId ?? ''} ${position}`}
          policy={policy}
          isKnown={names === undefined || names.includes(policy.roleId ?? '')}
          isReadOnly={isReadOnly}
          onChange={(next) => set(next === undefined ? policies.toSpliced(position, 1) : policies.with(position, next))}
        />
      ))}
      {!isReadOnly && (
        <label class="row">
          <span>Add a role</span>
          <select value="" onChange={(event) => set([...policies, { roleId: event.currentTarget.value }])}>
            <option value="" />
            {left.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

function PolicyFields({
  policy,
  isKnown,
  isReadOnly,
  onChange,
}: {
  readonly policy: Policy;
  /** There is such a role. */
  readonly isKnown: boolean;
  readonly isReadOnly: boolean;
  /** Called with undefined to remove it. */
  readonly onChange: (policy: Policy | undefined) => void;
}) {
  // As it is typed: the places of it would lose a comma at the end.
  const [places, setPlaces] = useState(() => toPlaces(policy));
  const restrict = (text: string) => {
    setPlaces(text);
    const restrictedTo = readPlaces(text);
    const { restrictedTo: _before, ...rest } = policy;
    onChange(restrictedTo.length === 0 ? rest : { ...rest, restrictedTo });
  };
  return (
    <fieldset class="card stack tight">
      <legend>
        <a href={toHash(['people', 'roles'], { id: policy.roleId })}>
          <bdi>{policy.roleId}</bdi>
        </a>
      </legend>
      {!isKnown && <p class="notice">There is no role of this name.</p>}
      <label class="field">
        <span>
          Restricted to <span class="soft small">indexes, or index/collection, separated by commas</span>
        </span>
        <input
          placeholder="everything that the role allows"
          autocomplete="off"
          readOnly={isReadOnly}
          value={places}
          onInput={(event) => restrict(event.currentTarget.value)}
        />
      </label>
      {!isReadOnly && (
        <div class="row end">
          <button type="button" class="quiet danger-text" onClick={() => onChange(undefined)}>
            Remove
          </button>
        </div>
      )}
    </fieldset>
  );
}

function toPlaces({ restrictedTo = [] }: Policy): string {
  return restrictedTo
    .flatMap(({ index, collections }) => collections?.map((name) => `${index}/${name}`) ?? [index])
    .join(', ');
}

/** An index without a collection is restricted to as a whole. */
function readPlaces(text: string): NonNullable<Policy['restrictedTo']> {
  const places = text
    .split(',')
    .map((place) => place.trim().split('/', 2))
    .filter(([index]) => index !== '');
  return [...Map.groupBy(places, ([index = '']) => index)].map(([index, own]) => {
    const collections = own.flatMap(([, name]) => (name === undefined || name === '' ? [] : [name]));
    return collections.length < own.length ? { index } : { index, collections };
  });
}
