/*
 * Regular expressions by derivatives (Brzozowski): the derivative of an expression by a character is the expression
 * that must match the rest of the string. Each expression is a state of an automaton, and equal expressions share one
 * object. States are computed on demand, so complement and intersection cost nothing extra, and each character is read
 * once.
 */

export type RegexpNode = { readonly id: number; readonly isNullable: boolean } & (
  | { readonly kind: 'nothing' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'characters'; readonly ranges: CharacterRanges }
  | { readonly kind: 'sequence'; readonly first: RegexpNode; readonly rest: RegexpNode }
  | { readonly kind: 'any' | 'all'; readonly nodes: readonly RegexpNode[] }
  | { readonly kind: 'not'; readonly node: RegexpNode }
  | {
      readonly kind: 'repeat';
      readonly node: RegexpNode;
      readonly min: number;
      readonly max: number;
    }
);

/** Code points from, to, from, to, …, both ends inclusive. */
export type CharacterRanges = readonly number[];

/** An expression with more states is refused. Lucene's `max_determinized_states` has the same default. */
const MAX_STATES = 10_000;

type Shape = RegexpNode extends infer N
  ? N extends RegexpNode
    ? Omit<N, 'id' | 'isNullable'>
    : never
  : never;

/** Builds expressions and runs them. */
export class RegexpAutomaton {
  private readonly known = new Map<string, RegexpNode>();
  private readonly transitions = new Map<RegexpNode, Map<number, RegexpNode>>();
  readonly nothing = this.intern('0', { kind: 'nothing' }, false);
  readonly empty = this.intern('1', { kind: 'empty' }, true);

  characters(ranges: CharacterRanges): RegexpNode {
    return this.intern(`c${ranges.join()}`, { kind: 'characters', ranges }, false);
  }

  sequence(first: RegexpNode, rest: RegexpNode): RegexpNode {
    if (first === this.nothing || rest === this.nothing) return this.nothing;
    if (first === this.empty) return rest;
    if (rest === this.empty) return first;
    const key = `s${first.id},${rest.id}`;
    return this.intern(key, { kind: 'sequence', first, rest }, first.isNullable && rest.isNullable);
  }

  any(nodes: readonly RegexpNode[]): RegexpNode {
    const flat = nodes.flatMap((node) => (node.kind === 'any' ? node.nodes : [node]));
    const unique = distinct(flat.filter((node) => node !== this.nothing));
    const [only] = unique;
    if (only === undefined) return this.nothing;
    if (unique.length === 1) return only;
    const isNullable = unique.some((node) => node.isNullable);
    return this.intern(
      `|${unique.map(({ id }) => id).join()}`,
      { kind: 'any', nodes: unique },
      isNullable,
    );
  }

  all(nodes: readonly RegexpNode[]): RegexpNode {
    const unique = distinct(nodes.flatMap((node) => (node.kind === 'all' ? node.nodes : [node])));
    const [only] = unique;
    if (unique.includes(this.nothing)) return this.nothing;
    if (unique.length === 1 && only !== undefined) return only;
    const isNullable = unique.every((node) => node.isNullable);
    return this.intern(
      `&${unique.map(({ id }) => id).join()}`,
      { kind: 'all', nodes: unique },
      isNullable,
    );
  }

  not(node: RegexpNode): RegexpNode {
    if (node.kind === 'not') return node.node;
    return this.intern(`~${node.id}`, { kind: 'not', node }, !node.isNullable);
  }

  repeat(node: RegexpNode, min: number, max: number): RegexpNode {
    if (max === 0 || node === this.empty) return this.empty;
    if (node === this.nothing) return min === 0 ? this.empty : this.nothing;
    if (min === 1 && max === 1) return node;
    // Repetitions of a part that may be empty are optional.
    const least = node.isNullable ? 0 : min;
    const key = `r${node.id},${least},${max}`;
    return this.intern(key, { kind: 'repeat', node, min: least, max }, least === 0);
  }

  /** Whether the expression matches the whole string. @throws SyntaxError if that takes too many states */
  matches(root: RegexpNode, text: string): boolean {
    let state = root;
    for (let i = 0; i < text.length;) {
      const c = text.codePointAt(i) as number;
      state = this.step(state, c);
      if (state === this.nothing) return false;
      i += c > 0xffff ? 2 : 1;
    }
    return state.isNullable;
  }

  private step(state: RegexpNode, c: number): RegexpNode {
    let row = this.transitions.get(state);
    if (row === undefined) {
      row = new Map();
      this.transitions.set(state, row);
    }
    let next = row.get(c);
    if (next === undefined) {
      next = this.derive(state, c);
      row.set(c, next);
    }
    return next;
  }

  private derive(node: RegexpNode, c: number): RegexpNode {
    switch (node.kind) {
      case 'nothing':
      case 'empty':
        return this.nothing;
      case 'characters':
        return includes(node.ranges, c) ? this.empty : this.nothing;
      case 'sequence': {
        const head = this.sequence(this.step(node.first, c), node.rest);
        return node.first.isNullable ? this.any([head, this.step(node.rest, c)]) : head;
      }
      case 'any':
        return this.any(node.nodes.map((inner) => this.step(inner, c)));
      case 'all':
        return this.all(node.nodes.map((inner) => this.step(inner, c)));
      case 'not':
        return this.not(this.step(node.node, c));
      case 'repeat': {
        const rest = this.repeat(node.node, Math.max(0, node.min - 1), node.max - 1);
        return this.sequence(this.step(node.node, c), rest);
      }
    }
  }

  private intern(key: string, shape: Shape, isNullable: boolean): RegexpNode {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.known.size >= MAX_STATES)
      throw new SyntaxError(`it needs more than ${MAX_STATES} states`);
    const node = { ...shape, id: this.known.size, isNullable } as RegexpNode;
    this.known.set(key, node);
    return node;
  }
}

function distinct(nodes: readonly RegexpNode[]): RegexpNode[] {
  return [...new Set(nodes)].sort((a, b) => a.id - b.id);
}

function includes(ranges: CharacterRanges, c: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (c >= (ranges[i] as number) && c <= (ranges[i + 1] as number)) return true;
  }
  return false;
}
