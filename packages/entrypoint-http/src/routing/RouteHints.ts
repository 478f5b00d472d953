import { didYouMean, type ActionTable } from '@millrace/kernel';
import { decodePart } from '../request/decodePart.js';
import { spellingsOf } from './spellingsOf.js';

const MAX_SHOWN_LENGTH = 60;

interface ListRoute {
  /** For example `list documents`. */
  readonly purpose: string;
  readonly method: string;
  /** Of the path, with names such as `:index` for parameters. */
  readonly segments: readonly string[];
}

/** Names that tools and people of other servers try first. */
const PROBE_NAMES = ['health', 'healthz', 'live', 'liveness', 'ready', 'readiness'];
const PROBES = '/livez, /readyz, /startupz and, with details, /_healthCheck';

/** Ends of error messages that suggest an existing route instead of an unknown one. One per handler. */
export class RouteHints {
  private readonly paths: readonly (readonly string[])[];
  private readonly lists: readonly ListRoute[];
  /** First segments that are not parameters. */
  private readonly firstLiterals: ReadonlySet<string>;
  /** Names of pages below the root, such as `_metrics`. */
  private readonly pages: readonly string[];

  constructor(actions: ActionTable) {
    const all = [...actions];
    const paths = all.flatMap(({ routes }) => routes.flatMap(({ path }) => spellingsOf(path)));
    this.paths = [...new Set(paths)].map(toSegments);
    this.firstLiterals = new Set(this.paths.map(([first = '']) => first).filter(isLiteral));
    const pages = all.flatMap(({ routes }) => routes.filter(({ method }) => method === 'GET'));
    this.pages = pages.map(({ path }) => path.slice(1));
    this.lists = all.flatMap(({ lists, routes: [route] }) => {
      if (lists === undefined || route === undefined) return [];
      const { method, path } = route;
      const purpose = `list ${lists}`;
      return spellingsOf(path).map((each) => ({ purpose, method, segments: toSegments(each) }));
    });
  }

  /** For an unknown path: the route with a similar name. */
  forUnknownPath(method: string, segments: readonly string[]): string {
    const names = segments.filter((segment) => segment !== '');
    for (let position = 0; position < names.length; position++) {
      const name = names[position] as string;
      const hint = didYouMean(name, this.literalsAt(position, names));
      if (hint !== '') return hint;
    }
    return method === 'GET' ? this.forPage(names) + this.forList(names) : '';
  }

  /** For a path that exists for other methods: how to list its children. */
  forOtherMethod(method: string, segments: readonly string[]): string {
    if (method !== 'GET' && method !== 'HEAD') return '';
    const names = segments.filter((segment) => segment !== '');
    return this.forPage(names) + this.forList(names);
  }

  /** For a name below the root that is a page with an underscore, or that other servers have for probes. */
  private forPage([name = '', ...more]: readonly string[]): string {
    if (more.length > 0) return '';
    const written = name.toLowerCase().replace(/^_/, '');
    if (PROBE_NAMES.includes(written)) return `; probes are GET ${PROBES}`;
    const page = this.pages.find((each) => each.toLowerCase() === `_${written}`);
    return page === undefined ? '' : `; there is GET /${page}`;
  }

  private forList(names: readonly string[]): string {
    if (names.length === 0) return '';
    const uses = this.lists.flatMap((list) => this.useOf(list, names) ?? []);
    return uses.length === 0 ? '' : `; ${uses.join(', ')}`;
  }

  private useOf({ purpose, method, segments }: ListRoute, names: readonly string[]) {
    const [first = ''] = names;
    const place = segments.slice(0, -1);
    if (names.length > place.length) return undefined;
    if (!isLiteral(place[0] ?? '') && this.firstLiterals.has(first)) return undefined;
    if (names.some((name, at) => !fits(place[at] ?? '', name))) return undefined;
    const path = segments.map((segment, at) => (isLiteral(segment) ? segment : shown(names[at], segment)));
    return `to ${purpose} use ${method} /${path.join('/')}`;
  }

  /** The literals at one position of paths that otherwise equal the given one. */
  private literalsAt(position: number, names: readonly string[]): ReadonlySet<string> {
    const literals = new Set<string>();
    for (const path of this.paths) {
      const literal = path[position];
      if (path.length !== names.length || literal === undefined || !isLiteral(literal)) continue;
      if (path.every((segment, at) => at === position || fits(segment, names[at] ?? ''))) {
        literals.add(literal);
      }
    }
    return literals;
  }
}

function toSegments(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function isLiteral(segment: string): boolean {
  return !segment.startsWith(':');
}

/** An unknown name with an underscore is never a parameter. */
function fits(segment: string, name: string): boolean {
  return isLiteral(segment) ? segment === name : !name.startsWith('_');
}

function shown(name: string | undefined, parameter: string): string {
  if (name === undefined || decodePart(name) === undefined) return `<${parameter.slice(1)}>`;
  return name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH)}…` : name;
}
