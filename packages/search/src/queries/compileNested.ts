import type { BoundQuery, NestedQuery } from '@millrace/query';
import { nestedScope } from '../nestedScope.js';
import { NestedIndex } from '../index/NestedIndex.js';
import type { SearchScope } from '../SearchScope.js';
import type { Compile } from './Compilers.js';
import { NestedNode } from './NestedNode.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';

/** Documents with a nested object that matches. */
export function compileNested(query: NestedQuery<BoundQuery>, scope: SearchScope, compile: Compile): QueryNode {
  const { nestedPath } = query;
  // The scope already consists of its objects.
  const { index } = scope;
  if (index instanceof NestedIndex && index.nestedPath === nestedPath) {
    return compile(query.query, scope);
  }
  const inside = nestedScope(scope, nestedPath);
  if (inside === undefined) return new NoneNode();
  const inner = compile(query.query, inside);
  return new NestedNode(scope.index, inside.index, inner, query.scoreMode, query.boost);
}
