import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import type { LeafType } from '../mapping/Mapping.js';
import { quote } from '../show.js';
import type { Query } from '../tree/Query.js';
import type { FieldSort, NestedSort, Sort } from '../tree/Sort.js';
import { assertNestedPath } from './assertNestedPath.js';
import { assertValues } from './assertValues.js';
import { checkMissing } from './checkSortValue.js';

/** Checks sorts against a mapping. An unmapped field is an error here, unless `unmapped_type` gives its type. */
export class SortChecker {
  constructor(
    private readonly compiled: CompiledMapping,
    private readonly checkQuery: (query: Query, nestedPath: string) => void,
  ) {}

  /** @param isTop false if nested objects are sorted @throws QueryError */
  check(sort: Sort, isTop = false): void {
    if (sort.kind !== 'field' && sort.kind !== 'geoDistance') return;
    const field = this.compiled.fields.get(sort.field);
    if (sort.nested !== undefined) {
      this.checkNestedSort(sort.nested, sort.path);
      if (sort.mode === 'median')
        throw invalid(sort.path, `mode median at ${sort.path} knows no nested objects`);
    }
    if (field === undefined) {
      const mayLack = sort.kind === 'field' ? sort.unmappedType !== undefined : sort.ignoreUnmapped;
      if (mayLack) return sort.kind === 'field' ? checkUnmapped(sort) : undefined;
      throw invalid(
        sort.path,
        `Cannot sort by ${quote(sort.field)} at ${sort.path}: it is not in the mapping (give unmapped_type)`,
      );
    }
    if (isTop && field.nestedPath !== undefined && sort.nested === undefined)
      this.checkIncluded(field, sort.path);
    assertValues(field, sort.path);
    if (sort.kind === 'geoDistance') {
      if (field.type !== 'geo_point')
        throw invalid(sort.path, `Field ${quote(field.name)} at ${sort.path} is no geo_point`);
      return;
    }
    if (field.type === 'geo_point' || field.type === 'geo_shape' || field.type === 'binary') {
      throw invalid(
        sort.path,
        `Cannot sort by ${quote(field.name)} of type ${field.type} at ${sort.path}`,
      );
    }
    const isText = field.type === 'keyword' || field.type === 'text' || field.type === 'ip';
    if (isText && /^(sum|avg|median)$/.test(sort.mode)) {
      throw invalid(
        sort.path,
        `mode ${sort.mode} at ${sort.path} needs numbers, not ${field.type}`,
      );
    }
    if (sort.format !== undefined && field.type !== 'date') {
      throw invalid(
        sort.path,
        `format at ${sort.path} needs a date field; ${quote(field.name)} is ${field.type}`,
      );
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
  private checkIncluded({ name, nestedPath = '' }: CompiledField, path: string): void {
    const object = this.compiled.objects.get(nestedPath);
    if (object?.includeInRoot === true) return;
    throw invalid(
      path,
      `Sort by ${quote(name)} at ${path} needs "nested": {"path": ${quote(nestedPath)}}`,
    );
  }

  private checkNestedSort(nested: NestedSort, path: string): void {
    assertNestedPath(this.compiled, nested.path, path);
    if (nested.filter !== undefined) this.checkQuery(nested.filter, nested.path);
    if (nested.nested !== undefined) this.checkNestedSort(nested.nested, path);
  }
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
    throw invalid(
      sort.path,
      `mode ${sort.mode} at ${sort.path} needs numbers, not ${sort.unmappedType ?? ''}`,
    );
  }
  if (sort.format !== undefined && sort.unmappedType !== 'date') {
    throw invalid(sort.path, `format at ${sort.path} needs a date, not ${sort.unmappedType ?? ''}`);
  }
  if (sort.numericType !== undefined && isText) {
    throw invalid(
      sort.path,
      `numeric_type at ${sort.path} needs numbers, not ${sort.unmappedType ?? ''}`,
    );
  }
  if (typeof sort.missing === 'object' && sort.unmappedType !== undefined) {
    checkMissing({ type: sort.unmappedType as LeafType }, sort.missing.value, sort);
  }
}
