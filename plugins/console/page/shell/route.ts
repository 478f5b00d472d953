import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** The state of the console in the fragment of the address: `#/data/city/stations?sort=bikes`. */
export interface Route {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** The address of a route; parameters that are empty or undefined are left out. */
export function toHash(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') params.set(name, value);
  const search = params.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Changes that are not saved, and the routes that show them. */
interface Unsaved {
  readonly name: string;
  readonly isShownAt: (route: Route) => boolean;
}

/** A step that would lose changes, until a person decides. */
export interface Leave {
  /** Of what was changed. */
  readonly name: string;
  readonly go: () => void;
}

let shown = readRoute();
/** Of the present entry in the browser's history; each entry has its position as its state. */
let position = positionOf() ?? 0;
let refused: Leave | undefined;
const unsaved = new Set<Unsaved>();
const routeListeners = new Set<() => void>();
const leaveListeners = new Set<(leave: Leave) => void>();

history.replaceState({ position }, '');
addEventListener('hashchange', () => {
  const next = readRoute();
  const lost = [...unsaved].find(({ isShownAt }) => !isShownAt(next));
  if (lost === undefined) return arrive(next);
  const { hash } = location;
  const go = () => {
    forgetUnsaved();
    location.hash = hash;
  };
  refused = { name: lost.name, go };
  // A new entry has no position yet. The question follows on the way back, whose event comes later.
  history.go(position - (positionOf() ?? position + 1));
});

function arrive(route: Route): void {
  position = positionOf() ?? position + 1;
  history.replaceState({ position }, '');
  if (refused !== undefined) for (const listener of leaveListeners) listener(refused);
  refused = undefined;
  if (isSame(route, shown)) return;
  shown = route;
  for (const listener of routeListeners) listener();
}

function positionOf(): number | undefined {
  return (history.state as { readonly position?: number } | null)?.position;
}

/** @param options.replaces the present entry of the browser's history */
export function navigate(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
  options: { readonly replaces?: boolean } = {},
): void {
  const hash = toHash(path, query);
  if (options.replaces === true) {
    history.replaceState({ position }, '', hash);
    arrive(readRoute());
  } else location.hash = hash;
}

/** The present route; renders again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(shown);
  useEffect(() => {
    const read = () => setRoute(shown);
    routeListeners.add(read);
    // An effect of an inner component may have changed it before.
    read();
    return () => void routeListeners.delete(read);
  }, []);
  return route;
}

/**
 * Asks before changes are lost: by another route, a closed tab, or `leave`.
 * @param name what has changed; undefined: nothing
 * @param keys the parameters of the query that keep it shown, on the present path
 */
export function useUnsaved(name: string | undefined, keys: readonly string[]): void {
  const { path, query } = useRoute();
  useLayoutEffect(() => {
    if (name === undefined) return undefined;
    const isShownAt = (route: Route) =>
      route.path.join('/') === path.join('/') && keys.every((key) => route.query[key] === query[key]);
    const entry: Unsaved = { name, isShownAt };
    const ask = (event: Event) => event.preventDefault();
    unsaved.add(entry);
    addEventListener('beforeunload', ask);
    return () => {
      unsaved.delete(entry);
      removeEventListener('beforeunload', ask);
    };
  }, [name]);
}

/** To be called before a step that loses nothing any more: after a save or a deletion. */
export function forgetUnsaved(): void {
  unsaved.clear();
}

/** Takes a step that loses what is not saved, such as a logout: once a person agrees, if there is any. */
export function leave(go: () => void): void {
  const [lost] = unsaved;
  if (lost === undefined) return go();
  for (const listener of leaveListeners) listener({ name: lost.name, go });
}

/** Calls the listener with each step that would lose changes. Returns the function that ends it. */
export function onLeave(listener: (leave: Leave) => void): () => void {
  leaveListeners.add(listener);
  return () => leaveListeners.delete(listener);
}

/** The route of the address, whose event may come later. */
export function readRoute(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decode),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isSame(one: Route, other: Route): boolean {
  return toHash(one.path, one.query) === toHash(other.path, other.query);
}
