import { canExist, METADATA_FIELDS, type CompiledField, type ExistsQuery } from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { visibleIndex, type SearchScope } from '../SearchScope.js';
import { ExistsNode } from './ExistsNode.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { parseWildcard } from './wildcard.js';

/** Compiles `exists` for a field, an object (any of its fields) or a pattern of names. */
export function compileExists(query: ExistsQuery, scope: SearchScope): QueryNode {
  const { index } = scope;
  const indexes: FieldIndex[] = [];
  for (const { name } of fieldsToExist(query, scope)) {
    const found = visibleIndex(scope, name);
    if (found !== undefined && !indexes.includes(found)) indexes.push(found);
  }
  return indexes.length === 0 ? new NoneNode() : new ExistsNode(index, indexes, query.boost);
}

/** The fields of an `exists` query that may have values. */
export function fieldsToExist({ field }: ExistsQuery, scope: SearchScope): Set<CompiledField> {
  const { fields, objects } = scope.index.mapping;
  const found = new Set<CompiledField>();
  const add = (name: string) => {
    const one = fields.get(name);
    if (one !== undefined && canExist(one)) found.add(one);
  };
  const addObject = (object: string) => {
    for (const name of fields.keys()) if (name.startsWith(`${object}.`)) add(name);
  };
  add(field);
  if (field.includes('*')) {
    const pattern = parseWildcard(field.replaceAll('\\', '\\\\'), (text) => text);
    for (const name of fields.keys()) {
      if (pattern.matches(name) && !METADATA_FIELDS.has(name)) add(name);
    }
    for (const name of objects.keys()) if (pattern.matches(name)) addObject(name);
  } else if (objects.has(field)) addObject(field);
  return found;
}
