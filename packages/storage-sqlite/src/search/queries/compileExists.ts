import { canExist, type ExistsQuery } from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { visibleIndex, type SearchScope } from '../SearchScope.js';
import { ExistsNode } from './ExistsNode.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { parseWildcard } from './wildcard.js';

/** A field, an object (exists with any of its fields) or a pattern of names. */
export function compileExists(query: ExistsQuery, scope: SearchScope): QueryNode {
  const { index } = scope;
  const indexes: FieldIndex[] = [];
  const add = (name: string) => {
    const field = index.mapping.fields.get(name);
    const found = field !== undefined && canExist(field) ? visibleIndex(scope, name) : undefined;
    if (found !== undefined && !indexes.includes(found)) indexes.push(found);
  };
  add(query.field);
  if (query.field.includes('*')) {
    const pattern = parseWildcard(query.field.replaceAll('\\', '\\\\'), (text) => text);
    for (const name of index.mapping.fields.keys()) if (pattern.matches(name)) add(name);
    for (const name of index.mapping.objects.keys())
      if (pattern.matches(name)) addObject(name, index.mapping.fields.keys(), add);
  } else if (index.mapping.objects.has(query.field)) {
    addObject(query.field, index.mapping.fields.keys(), add);
  }
  return indexes.length === 0 ? new NoneNode() : new ExistsNode(index, indexes, query.boost);
}

function addObject(object: string, names: Iterable<string>, add: (name: string) => void): void {
  for (const name of names) if (name.startsWith(`${object}.`)) add(name);
}
