import { checkMissing } from '../coerce/checkSortValue.js';
import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import type { LeafType } from '../mapping/Mapping.js';
import { quote } from '../show.js';
import type { BoundQuery } from '../tree/Query.js';
import type { FieldSort, GeoDistanceSort, NestedSort, Sort } from '../tree/Sort.js';
import { assertNestedPath, assertValues } from './assertValues.js';
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
  checkOptions(sort, field.type);
}

/** The options of a sort must fit the type of its values. */
function checkOptions(sort: FieldSort, type: LeafType): void {
  const { path } = sort;
  const refusal = (option: string, needed: string) =>
    invalid(path, `${option} at ${path} needs ${needed}; ${quote(sort.field)} is ${type}`);
  const isText = type === 'keyword' || type === 'text' || type === 'ip';
  if (isText && /^(sum|avg|median)$/.test(sort.mode)) throw refusal(`mode ${sort.mode}`, 'a field of numbers');
  if (sort.format !== undefined && type !== 'date') throw refusal('format', 'a date field');
  if (sort.numericType !== undefined && isText) throw refusal('numeric_type', 'a field of numbers');
  if (typeof sort.missing === 'object') checkMissing({ type }, sort.missing.value, sort);
}

/** The values of nested objects are not values of their document, unless they are indexed there too. */
function checkIncluded({ name, nestedPath = '' }: CompiledField, compiled: CompiledMapping, path: string): void {
  const object = compiled.objects.get(nestedPath);
  if (object?.includeInRoot === true) return;
  throw invalid(path, `Sort by ${quote(name)} at ${path} needs "nested": {"path": ${quote(nestedPath)}}`);
}

/** Fields of the `unmapped_type` can be sorted by, and the options fit it. */
function checkUnmapped(sort: FieldSort): void {
  const { path, field, unmappedType: type } = sort;
  if (type === undefined) return;
  if (/^(text|binary|geo_point|geo_shape)$/.test(type)) {
    const reason = `fields of its unmapped_type ${type} can't be sorted by`;
    throw invalid(path, `The field "${field}" is not mapped, and ${reason} (at ${path})`);
  }
  checkOptions(sort, type as LeafType);
}
