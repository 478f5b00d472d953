import { useState } from 'preact/hooks';
import type { ActionNames } from '../actions/ActionCatalog.js';
import type { Fields } from '../connection.js';
import { Empty } from '../kit/States.jsx';
import { PlaceRights } from './PlaceRights.jsx';
import { RightsTable } from './RightsTable.jsx';
import { namesIn, placeIn, placesOf, rightIn, withPlace, withRight, type RolePlace } from './RolePlace.js';

/** A right without an action: to create API keys that don't expire. */
const PERMANENT_KEYS = 'security.createPermanentApiKey';

interface RoleRightsProps {
  readonly role: Fields;
  /** Undefined: not known, so that nothing is unknown. */
  readonly known: ActionNames | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (role: Fields) => void;
}

/** The rights of a role: a table of its collections, and below it each of their actions. */
export function RoleRights({ role, known, isReadOnly, onChange }: RoleRightsProps) {
  const [opened, setOpened] = useState<{ readonly title: string }>();
  const places = placesOf(role);
  if (places === null) {
    return (
      <Empty title="This JSON has no rights">
        <p class="soft">
          A role has <code>indexes</code> or <code>controllers</code>: see JSON.
        </p>
      </Empty>
    );
  }
  const unknown = known === undefined ? [] : unknownNames(places, known);
  return (
    <div class="stack">
      {unknown.length > 0 && (
        <p class="notice" data-state="unknown-names">
          This server doesn’t know <bdi>{unknown.join(', ')}</bdi>: these entries give nothing.
        </p>
      )}
      {places.length > 0 && (
        <RightsTable
          label="Rights on documents"
          head="Index / collection"
          rows={places.map((place) => ({ title: titleOf(place), place }))}
          onToggle={
            isReadOnly
              ? undefined
              : ({ title, place }, { controller, actions }, state) => {
                  if (state === 'limited' || state === 'some') setOpened({ title });
                  else onChange(toggled(role, place, controller, actions, state === 'none'));
                }
          }
        />
      )}
      {places.map((place) => (
        <PlaceRights
          key={titleOf(place)}
          title={titleOf(place)}
          isOpen={places.length === 1}
          opened={opened?.title === titleOf(place) ? opened : undefined}
          {...{ role, place, known, isReadOnly, onChange }}
        />
      ))}
      {!isReadOnly && <AddPlace onAdd={(index, collection) => onChange(withPlace(role, index, collection))} />}
    </div>
  );
}

function AddPlace({ onAdd }: { readonly onAdd: (index: string, collection: string) => void }) {
  const [index, setIndex] = useState('');
  const [collection, setCollection] = useState('');
  const add = () => {
    onAdd(index.trim() || '*', collection.trim() || '*');
    setIndex('');
    setCollection('');
  };
  const field = (name: string, value: string, set: (value: string) => void) => (
    <label class="field">
      <span>{name}</span>
      <input
        value={value}
        placeholder="* for all others"
        autocomplete="off"
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
    </label>
  );
  return (
    <fieldset class="stack card">
      <legend>Add a collection</legend>
      <p class="soft small">In a collection that has an entry, the entries of * give nothing.</p>
      <div class="row fields">
        {field('Index', index, setIndex)}
        {field('Collection', collection, setCollection)}
      </div>
      <div class="row">
        <button type="button" onClick={add}>
          Add the collection
        </button>
      </div>
    </fieldset>
  );
}

/** Misspelt controllers and actions, or those of a plugin that isn't loaded. */
function unknownNames(places: readonly RolePlace[], known: ActionNames): readonly string[] {
  const found = places.flatMap((place) =>
    [...namesIn(place)].flatMap(([controller, actions]) => {
      if (controller === '*') return [];
      const names = known.get(controller);
      if (names === undefined) return [`the controller ${controller}`];
      const others = actions.filter((action) => action !== '*' && !names.includes(action));
      return others
        .filter((action) => `${controller}.${action}` !== PERMANENT_KEYS)
        .map((action) => `${controller}.${action}`);
    }),
  );
  return [...new Set(found)];
}

function titleOf({ index, collection, path }: RolePlace): string {
  if (path[0] === 'controllers') return 'everywhere';
  return index === '*' && collection === '*' ? 'everywhere else' : `${index} / ${collection}`;
}

function toggled(
  role: Fields,
  place: RolePlace,
  controller: string,
  actions: readonly string[],
  isOn: boolean,
): Fields {
  return actions.reduce((changed, action) => {
    const name = [controller, action] as const;
    if (isOn) return withRight(changed, placeIn(changed, place), name, true);
    const removed = withRight(changed, placeIn(changed, place), name, undefined);
    const left = placeIn(removed, place);
    // An entry `*` would allow it.
    return rightIn(left, ...name).kind === 'denied' ? removed : withRight(removed, left, name, false);
  }, role);
}
