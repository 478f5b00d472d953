import { useEffect, useState } from 'preact/hooks';

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

/** @param options.replaces the present entry of the browser's history */
export function navigate(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
  options: { readonly replaces?: boolean } = {},
): void {
  const hash = toHash(path, query);
  if (options.replaces === true) {
    history.replaceState(null, '', hash);
    dispatchEvent(new Event('hashchange'));
  } else location.hash = hash;
}

/** The present route; renders again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const read = () => setRoute((last) => (isSame(last, readRoute()) ? last : readRoute()));
    addEventListener('hashchange', read);
    // An effect of an inner component may have changed it before.
    read();
    return () => removeEventListener('hashchange', read);
  }, []);
  return route;
}

function readRoute(): Route {
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
