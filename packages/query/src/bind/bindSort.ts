import { checkMissing } from '../coerce/checkSortValue.js';
import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import type { LeafType } from '../mapping/Mapping.js';
import { quote } from '../show.js';
import type { BoundQuery } from '../tree/Query.js';
import type { FieldSort, GeoDistanceSort, NestedSort, Sort } from '../tree/Sort.js';
import { assertNestedPath } from './assertNestedPath.js';
import { assertValues } from './assertValues.js';
import type { Binding } from './Binding.js';
import { bindPart } from './bindQuery.js';

/**
 * Binds one criterion of a sort. An unmapped field is an error here, unless `unmapped_type` gives its type.
 * @param isTop false if nested objects are sorted
 * @throws QueryError
 */
export function bindSort(sort: Sort, binding: Binding, isTop = false): Sort<BoundQuery> {
  if (sort.kind !== 'field' && sort.kind !== 'geoDistance') return sort;
  checkField(sort, binding.compiled, isTop);
  const { nested, ...rest } = sort;
  if (nested === undefined) return rest;
  if (sort.mode === 'median') throw invalid(sort.path, `mode median at ${sort.path} knows no nested objects`);
  return { ...rest, nested: bindNestedSort(nested, sort.path, binding) };
}

function bindNestedSort(
  { path: nestedPath, filter, nested }: NestedSort,
  path: string,
  binding: Binding,
): NestedSort<BoundQuery> {
  assertNestedPath(binding.compiled, nestedPath, path);
  return {
    path: nestedPath,
    ...(filter && { filter: bindPart(filter, binding, nestedPath) }),
    ...(nested && { nested: bindNestedSort(nested, path, binding) }),
  };
}

function checkField(sort: FieldSort | GeoDistanceSort, compiled: CompiledMapping, isTop: boolean): void {
  const field = compiled.fields.get(sort.field);
  if (field === undefined) {
    const mayLack = sort.kind === 'field' ? sort.unmappedType !== undefined : sort.ignoreUnmapped;
    if (mayLack) return sort.kind === 'field' ? checkUnmapped(sort) : undefined;
    throw invalid(
      sort.path,
      `Cannot sort by ${quote(sort.field)} at ${sort.path}: it is not in the mapping (give unmapped_type)`,
    );
  }
  if (isTop && field.nestedPath !== undefined && sort.nested === undefined) checkIncluded(field, compiled, sort.path);
  assertValues(field, sort.path);
  if (sort.kind === 'geoDistance') {
    if (field.type !== 'geo_point')
      throw invalid(sort.path, `Field ${quote(field.name)} at ${sort.path} is no geo_point`);
    return;
  }
  if (field.type === 'geo_point' || field.type === 'geo_shape' || field.type === 'binary') {
    throw invalid(sort.path, `Cannot sort by ${quote(field.name)} of type ${field.type} at ${sort.path}`);
  }
  const isText = field.type === 'keyword' || field.type === 'text' || field.type === 'ip';
  if (isText && /^(sum|avg|median)$/.test(sort.mode)) {
    throw invalid(sort.path, `mode ${sort.mode} at ${sort.path} needs numbers, not ${field.type}`);
  }
  if (sort.format !== undefined && field.type !== 'date') {
    throw invalid(sort.path, `format at ${sort.path} needs a date field; ${quote(field.name)} is ${field.type}`);
  }
  if (sort.numericType !== undefined && isText) {
    throw invalid(
      sort.path,
      `numeric_type at ${sort.path} needs a field of numbers; ${quote(field.name)} is ${field.type}`,
    );
  }
  if (typeof sort.missing === 'object') checkMissing(field, sort.missing.value, sort);
}

/** The values of nested objects are not values of their document, unless they are indexed there too. */
function checkIncluded({ name, nestedPath = '' }: CompiledField, compiled: CompiledMapping, path: string): void {
  const object = compiled.objects.get(nestedPath);
  if (object?.includeInRoot === true) return;
  throw invalid(path, `Sort by ${quote(name)} at ${path} needs "nested": {"path": ${quote(nestedPath)}}`);
}

/** The options of a sort by an unmapped field must fit its `unmapped_type`. */
function checkUnmapped(sort: FieldSort): void {
  if (/^(text|binary|geo_point|geo_shape)$/.test(sort.unmappedType ?? '')) {
    throw invalid(
      sort.path,
      `The field "${sort.field}" is not mapped, and fields of its unmapped_type ${sort.unmappedType ?? ''} can't be sorted by (at ${sort.path})`,
    );
  }
  const isText = /^(keyword|ip)$/.test(sort.unmappedType ?? '');
  if (isText && /^(sum|avg|median)$/.test(sort.mode)) {
    throw invalid(sort.path, `mode ${sort.mode} at ${sort.path} needs numbers, not ${sort.unmappedType ?? ''}`);
  }
  if (sort.format !== undefined && sort.unmappedType !== 'date') {
    throw invalid(sort.path, `format at ${sort.path} needs a date, not ${sort.unmappedType ?? ''}`);
  }
  if (sort.numericType !== undefined && isText) {
    throw invalid(sort.path, `numeric_type at ${sort.path} needs numbers, not ${sort.unmappedType ?? ''}`);
  }
  if (typeof sort.missing === 'object' && sort.unmappedType !== undefined) {
    checkMissing({ type: sort.unmappedType as LeafType }, sort.missing.value, sort);
  }
}
