import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { readActionNames } from '../actions/ActionCatalog.js';
import { run } from '../connection.js';
import { useCollections } from '../documents/useCollections.js';
import { Modal } from '../kit/Modal.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toHash } from './route.js';
import { useSession } from './Session.js';

/** A place of the console, by its name. */
export interface Destination {
  readonly name: string;
  readonly kind: string;
  readonly hash: string;
}

const MAX_SHOWN = 50;
const MAX_USERS = 100;
const LIST = 'destinations';

/** Goes to a screen, a collection, an action or a user by the name that is typed. */
export function Palette({
  screens,
  onClose,
}: {
  readonly screens: readonly Destination[];
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const collections = useCollections();
  const actions = useActions();
  const users = useUsers(text);
  const places = (collections.value ?? []).flatMap(({ name: index, collections: inside }) =>
    inside.map(({ name }) => {
      return { name: `${index} / ${name}`, kind: 'collection', hash: toHash(['data', index, name]) };
    }),
  );
  const found = foundIn([...screens, ...places, ...users, ...actions], text);
  const current = Math.min(active, found.length - 1);
  useEffect(() => input.current?.focus(), []);
  useLayoutEffect(() => list.current?.children[current]?.scrollIntoView({ block: 'nearest' }), [current]);
  const go = (destination: Destination | undefined) => {
    if (destination === undefined) return;
    onClose();
    location.hash = destination.hash;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = (by: number) => setActive((current + by + found.length) % Math.max(1, found.length));
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Enter: () => go(found[current]),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <Modal title="Go to" onClose={onClose}>
      <div class="palette stack">
        <input
          ref={input}
          role="combobox"
          aria-label="Screen, collection, action or user"
          aria-expanded={found.length > 0}
          aria-controls={LIST}
          aria-autocomplete="list"
          aria-activedescendant={found.length === 0 ? undefined : `${LIST}-${current}`}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder="Screen, collection, action or user"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id={LIST} ref={list} role="listbox" aria-label="Destinations">
          {found.map((destination, position) => (
            <li
              key={destination.hash}
              id={`${LIST}-${position}`}
              role="option"
              aria-selected={position === current}
              onClick={() => go(destination)}
            >
              <bdi>{destination.name}</bdi>
              <span class="soft small">{destination.kind}</span>
            </li>
          ))}
        </ul>
        {found.length === 0 && (
          <p class="soft" role="status">
            Nothing has this name
          </p>
        )}
      </div>
    </Modal>
  );
}

function useActions(): readonly Destination[] {
  const { rights } = useSession();
  const mayRead = rights.mayAnywhere('server.info');
  const { value } = useLoad(async () => (mayRead ? readActionNames() : undefined), [mayRead]);
  return [...(value ?? [])].flatMap(([controller, names]) =>
    // The other name of a controller.
    controller === 'ms'
      ? []
      : names.map((action) => {
          const name = `${controller}.${action}`;
          return { name, kind: 'action', hash: toHash(['actions', name]) };
        }),
  );
}

/** The first users, and those that the text names. */
function useUsers(text: string): readonly Destination[] {
  const { rights } = useSession();
  const maySearch = rights.mayAnywhere('security.searchUsers');
  const search = async (body: object, signal: AbortSignal): Promise<readonly string[]> => {
    if (!maySearch) return [];
    const { hits } = await run<{ hits: { _id: string }[] }>('security.searchUsers', { body }, { signal });
    return hits.map(({ _id }) => _id);
  };
  const first = useLoad((signal) => search({ size: MAX_USERS }, signal), [maySearch]);
  const values = text.trim().split(/\s+/);
  const named = useLoad(
    async (signal) => (values[0] === '' ? [] : search({ query: { ids: { values } } }, signal)),
    [maySearch, values.join(' ')],
  );
  const ids = new Set([...(first.value ?? []), ...(named.value ?? [])]);
  return [...ids].map((name) => ({ name, kind: 'user', hash: toHash(['people', 'users'], { id: name }) }));
}

/** Those with all words of the text, in their order; names that begin with it, or whose collection does, first. */
function foundIn(destinations: readonly Destination[], text: string): readonly Destination[] {
  const words = text.toLowerCase().split(/\s+/);
  const start = text.trim().toLowerCase();
  const fitting = destinations.filter(({ name, kind }) => {
    const whole = `${name} ${kind}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const first = fitting.filter(({ name }) =>
    name
      .toLowerCase()
      .split(' / ')
      .some((part) => part.startsWith(start)),
  );
  return [...first, ...fitting.filter((each) => !first.includes(each))].slice(0, MAX_SHOWN);
}
