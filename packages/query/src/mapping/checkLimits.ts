import { MappingError } from '../errors.js';
import type { FieldMapping, Mapping } from './Mapping.js';

const MAX_FIELDS = 1000;
const MAX_DEPTH = 20;
const MAX_NESTED = 50;

/** Limits of SEARCH-46: objects and multi-fields count as fields. @throws MappingError */
export function checkLimits(mapping: Mapping): void {
  let fieldCount = 0;
  let nestedCount = 0;
  const visit = (fields: ReadonlyMap<string, FieldMapping>, path: string, depth: number): void => {
    for (const [name, field] of fields) {
      fieldCount += 1;
      const place = path === '' ? name : `${path}.${name}`;
      if (depth > MAX_DEPTH) throw new MappingError(place, `The mapping is deeper than ${MAX_DEPTH} levels`);
      if (field.kind === 'leaf') fieldCount += field.fields.size;
      if (field.kind === 'object' && field.isNested) nestedCount += 1;
      if (fieldCount > MAX_FIELDS) throw new MappingError(place, `The mapping has more than ${MAX_FIELDS} fields`);
      if (nestedCount > MAX_NESTED)
        throw new MappingError(place, `The mapping has more than ${MAX_NESTED} nested fields`);
      if (field.kind === 'object') visit(field.properties, place, depth + 1);
    }
  };
  visit(mapping.properties, '', 1);
}
