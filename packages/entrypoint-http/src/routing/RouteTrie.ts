/*
 * A router whose cost depends on the length of the path, not on the number of routes.
 *
 * Problem: @koa/router tests the regular expression of every route, 60–70 µs for 230 routes, twice the cost of
 * everything else. Its rules also differ: it ignores case, and `_unknown` matches a parameter. Idea: one node per path
 * segment; literals in a map, at most one parameter child. A literal is tried first, then the parameter if the literal
 * has no route for this method (`PUT /users` creates no user: it creates an index, and is refused because of its name).
 * Paths have only a few segments, so backtracking is limited (2^depth).
 */

/** The match of a path and method. */
export type RouteMatch<H> =
  | {
      readonly kind: 'found';
      readonly handler: H;
      readonly names: readonly string[];
      readonly values: readonly string[];
    }
  /** `allowed`: the methods for which the path exists; none if it is unknown. */
  | { readonly kind: 'none'; readonly allowed: readonly string[] };

interface Leaf<H> {
  readonly handler: H;
  readonly names: readonly string[];
}

interface Node<H> {
  readonly literals: Map<string, Node<H>>;
  parameter: Node<H> | undefined;
  /** By method. */
  readonly leaves: Map<string, Leaf<H>>;
  /** Below `/ms` keys may begin with an underscore (MEM-4). */
  readonly isBelowMemoryStore: boolean;
}

interface Search {
  readonly method: string;
  readonly segments: readonly string[];
  /** Values of parameters on the path to the current node. */
  readonly values: string[];
  /** Methods of the paths that fit; created when one doesn't have the method. */
  allowed: Set<string> | undefined;
}

const MEMORY_STORE_SEGMENT = 'ms';

/** Finds the handler of a method and raw path segments. */
export class RouteTrie<H> {
  private readonly root: Node<H> = createNode(false);
  private maxDepth = 0;

  /**
   * Adds a route; the first one of a path and method wins.
   * @param path such as `/:index/:collection/_search`
   */
  add(methods: readonly string[], path: string, handler: H): void {
    const { node, names, depth } = this.open(path);
    for (const method of methods) {
      if (!node.leaves.has(method)) node.leaves.set(method, { handler, names });
    }
    this.maxDepth = Math.max(this.maxDepth, depth);
  }

  /** Adds a path without routes, so that no parameter matches its last segment. */
  reserve(path: string): void {
    this.open(path);
  }

  /** @param segments raw (still percent-encoded) path segments; a trailing slash is an empty last one */
  match(method: string, segments: readonly string[]): RouteMatch<H> {
    if (segments.length > this.maxDepth + 1) return { kind: 'none', allowed: [] };
    const search: Search = { method, segments, values: [], allowed: undefined };
    const leaf = this.walk(search, this.root, 0, false);
    if (leaf !== undefined) {
      return { kind: 'found', handler: leaf.handler, names: leaf.names, values: search.values };
    }
    return { kind: 'none', allowed: [...(search.allowed ?? [])].sort() };
  }

  private open(path: string) {
    const segments = path.split('/').filter((segment) => segment !== '');
    const names: string[] = [];
    let node = this.root;
    for (const segment of segments) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        node = node.parameter ??= createNode(node.isBelowMemoryStore);
      } else {
        node = childOf(node, segment, node === this.root);
      }
    }
    return { node, names, depth: segments.length };
  }

  private walk(search: Search, node: Node<H>, position: number, afterLiteral: boolean): Leaf<H> | undefined {
    const { segments, values } = search;
    const segment = segments[position];
    if (segment === undefined) return this.leafOf(search, node);
    // A trailing slash is accepted only after a literal: an empty name must not turn DELETE /index/ into a shorter
    // path.
    if (segment === '') {
      return afterLiteral && position === segments.length - 1 ? this.leafOf(search, node) : undefined;
    }
    const isAction = segment.startsWith('_');
    const literal = node.literals.get(segment);
    if (literal !== undefined) {
      const found = this.walk(search, literal, position + 1, true);
      if (found !== undefined) return found;
      if (isAction) return undefined;
      // Paths below /ms don't name an index.
      if (literal.isBelowMemoryStore && node === this.root && segments.length > 1) return undefined;
    }
    if (node.parameter === undefined || (isAction && !node.isBelowMemoryStore)) return undefined;
    values.push(segment);
    const found = this.walk(search, node.parameter, position + 1, false);
    if (found === undefined) values.pop();
    return found;
  }

  private leafOf(search: Search, node: Node<H>): Leaf<H> | undefined {
    const leaf = node.leaves.get(search.method);
    if (leaf !== undefined) return leaf;
    search.allowed ??= new Set();
    for (const other of node.leaves.keys()) search.allowed.add(other);
    return undefined;
  }
}

function childOf<H>(parent: Node<H>, segment: string, isFirst: boolean): Node<H> {
  const known = parent.literals.get(segment);
  if (known !== undefined) return known;
  const child = createNode<H>(parent.isBelowMemoryStore || (isFirst && segment === MEMORY_STORE_SEGMENT));
  parent.literals.set(segment, child);
  return child;
}

function createNode<H>(isBelowMemoryStore: boolean): Node<H> {
  return { literals: new Map(), parameter: undefined, leaves: new Map(), isBelowMemoryStore };
}
