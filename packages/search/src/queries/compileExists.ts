import type { BoundExists } from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { ExistsNode } from './ExistsNode.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';

/** The documents with a value in any of the fields. */
export function compileExists(query: BoundExists, scope: SearchScope): QueryNode {
  const indexes: FieldIndex[] = [];
  for (const field of query.fields) {
    const found = indexOf(scope, field);
    if (found !== undefined && !indexes.includes(found)) indexes.push(found);
  }
  return indexes.length === 0 ? new NoneNode() : new ExistsNode(scope.index, indexes, query.boost);
}
