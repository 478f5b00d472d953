import type { Fields } from '../connection.js';

/** The rights of a role on one collection, or on all that have no entry (`*`). */
export interface RolePlace {
  readonly index: string;
  readonly collection: string;
  /** As in the role: `{<controller>: {actions: {<action>: right}}}`. */
  readonly controllers: Fields;
  /** Where `controllers` is in the role. */
  readonly path: readonly string[];
}

/** How a right is shown: `limited` depends on a condition, or covers some documents or fields. */
export type RightKind = 'allowed' | 'denied' | 'limited';

/** The right to an action, as the entries of one place give it. */
export interface PlaceRight {
  readonly kind: RightKind;
  /** The entry that decides; undefined: there is none, so that the action is denied. */
  readonly right: unknown;
  /** The role names the action itself; false: an entry `*` decides. */
  readonly isNamed: boolean;
}

/** Keys next to `actions` that limit each of them. */
const LIMITS = ['documents', 'check', 'fields'] as const;
const ANY = '*';

/** The places of a role; null if it has the form of none. */
export function placesOf(role: Fields): readonly RolePlace[] | null {
  const controllers = entry(role, 'controllers');
  if (controllers !== undefined) return [{ index: ANY, collection: ANY, controllers, path: ['controllers'] }];
  const indexes = entry(role, 'indexes');
  if (indexes === undefined) return null;
  return Object.keys(indexes).flatMap((index) => {
    const collections = entry(entry(indexes, index), 'collections') ?? {};
    return Object.keys(collections).flatMap((collection): RolePlace[] => {
      const found = entry(entry(collections, collection), 'controllers');
      const path = ['indexes', index, 'collections', collection, 'controllers'];
      return found === undefined ? [] : [{ index, collection, controllers: found, path }];
    });
  });
}

/** The place whose entries count for a collection (SEC-11); undefined: the role gives nothing there. */
export function placeFor(role: Fields, index: string, collection: string): RolePlace | undefined {
  const places = placesOf(role) ?? [];
  const atIndex = (name: string) => places.filter((place) => place.index === name);
  // An index that is named hides the entries of `*`, and so does a collection.
  const isNamed = entry(entry(role, 'indexes'), index) !== undefined;
  const found = atIndex(isNamed ? index : ANY);
  return found.find((place) => place.collection === collection) ?? found.find((place) => place.collection === ANY);
}

/** The role with a place for a collection; a flat role becomes a tree, in which it is the place `*`. */
export function withPlace(role: Fields, index: string, collection: string): Fields {
  const flat = entry(role, 'controllers');
  const tree = flat === undefined ? role : { indexes: { [ANY]: { collections: { [ANY]: { controllers: flat } } } } };
  const path = ['indexes', index, 'collections', collection, 'controllers'];
  return valueAt(tree, path) === undefined ? withValue(tree, path, {}) : tree;
}

/** @param value undefined: removes it */
export function withValue(object: Fields, path: readonly string[], value: unknown): Fields {
  const [name = '', ...rest] = path;
  if (rest.length === 0 && value === undefined) {
    const { [name]: _removed, ...others } = object;
    return others;
  }
  // In the order of the keys, so that the JSON changes where the right does.
  return { ...object, [name]: rest.length === 0 ? value : withValue(entry(object, name) ?? {}, rest, value) };
}

/** The role without a place, and without an index that is left empty: an entry hides those of `*`, even an empty one. */
export function withoutPlace(role: Fields, { index, collection }: RolePlace): Fields {
  const left = withValue(role, ['indexes', index, 'collections', collection], undefined);
  const others = valueAt(left, ['indexes', index, 'collections']);
  return Object.keys(asFields(others) ?? {}).length > 0 ? left : withValue(left, ['indexes', index], undefined);
}

/** The right of a place to an action. */
export function rightIn({ controllers }: RolePlace, controller: string, action: string): PlaceRight {
  const named = entry(controllers, controller);
  const found = named ?? entry(controllers, ANY);
  const actions = entry(found, 'actions') ?? {};
  const isNamed = named !== undefined && Object.hasOwn(actions, action);
  const right = Object.hasOwn(actions, action) ? actions[action] : own(actions, ANY);
  if (right === true) {
    const limits = Object.fromEntries(
      LIMITS.flatMap((key) => (own(found, key) === undefined ? [] : [[key, own(found, key)]])),
    );
    const isLimited = Object.keys(limits).length > 0;
    return { kind: isLimited ? 'limited' : 'allowed', right: isLimited ? limits : true, isNamed };
  }
  return { kind: asFields(right) === undefined ? 'denied' : 'limited', right, isNamed };
}

/** A place as it is in a changed role. */
export function placeIn(role: Fields, place: RolePlace): RolePlace {
  return { ...place, controllers: asFields(valueAt(role, place.path)) ?? {} };
}

/** The role with an entry for a controller. It hides that of `*`, so it begins with the same rights. */
export function withController(role: Fields, { controllers, path }: RolePlace, controller: string): Fields {
  return withValue(role, [...path, controller], entry(controllers, ANY) ?? { actions: {} });
}

/**
 * The role with another right to an action of a place.
 * @param right undefined: removes the entry
 */
export function withRight(
  role: Fields,
  { controllers, path }: RolePlace,
  [controller, action]: readonly [controller: string, action: string],
  right: unknown,
): Fields {
  // An entry of a controller hides that of `*`: it begins with the same rights.
  const present = entry(controllers, controller) ?? entry(controllers, ANY) ?? {};
  return withValue(role, [...path, controller], withValue(present, ['actions', action], right));
}

/** The names of the actions that a place has entries for, by controller. */
export function namesIn({ controllers }: RolePlace): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.keys(controllers).map((name) => [name, Object.keys(entry(entry(controllers, name), 'actions') ?? {})]),
  );
}

/** A limited right in words. */
export function wordsOf(right: unknown): string {
  const { when, documents, check, fields } = asFields(right) ?? {};
  const { only, except } = asFields(fields) ?? {};
  const parts = [
    when === undefined ? '' : `when ${JSON.stringify(when)}`,
    documents === undefined ? '' : `documents that match ${JSON.stringify(documents)}`,
    check === undefined ? '' : `afterwards they match ${JSON.stringify(check)}`,
    Array.isArray(only) ? `only the fields ${only.join(', ')}` : '',
    Array.isArray(except) ? `all fields but ${except.join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function valueAt(object: Fields, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => own(asFields(value), name), object);
}

/** Names are chosen by users, and may be those of inherited properties. */
function own(object: Fields | undefined, name: string): unknown {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

function entry(object: Fields | undefined, name: string): Fields | undefined {
  return asFields(own(object, name));
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
