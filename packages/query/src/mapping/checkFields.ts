import { isJsonScalar, own } from '@millrace/language';
import { MappingError } from '../errors.js';
import { quote, show } from '../show.js';
import type { FieldMapping, LeafMapping, Mapping } from './Mapping.js';
import { nullValueProblem } from './nullValueProblem.js';

/** A field with the path of its nested object; '' for the root. */
interface Place {
  readonly field: FieldMapping;
  readonly nestedPath: string;
  readonly isMultiField: boolean;
}

/**
 * Checks of fields that need the complete mapping: whether `null_value` fits the format of its field, and whether
 * `copy_to` may copy to its targets. Unmapped targets are valid.
 * @throws MappingError
 */
export function checkFields(mapping: Mapping): void {
  const places = new Map<string, Place>();
  collect(mapping.properties, '', '', places);
  for (const [name, { field, nestedPath }] of places) {
    if (field.kind !== 'leaf') continue;
    checkNullValue(name, field);
    for (const target of field.copyTo) checkCopy(name, nestedPath, target, places);
  }
}

function collect(
  fields: ReadonlyMap<string, FieldMapping>,
  prefix: string,
  nestedPath: string,
  places: Map<string, Place>,
): void {
  for (const [key, field] of fields) {
    const name = `${prefix}${key}`;
    places.set(name, { field, nestedPath, isMultiField: false });
    if (field.kind === 'object') {
      collect(field.properties, `${name}.`, field.isNested ? name : nestedPath, places);
    } else {
      for (const [sub, leaf] of field.fields) {
        places.set(`${name}.${sub}`, { field: leaf, nestedPath, isMultiField: true });
      }
    }
  }
}

function checkNullValue(name: string, { type, parameters }: LeafMapping): void {
  const value = own(parameters, 'null_value');
  if (value === undefined || !isJsonScalar(value)) return;
  const expected = nullValueProblem(type, value, parameters);
  if (expected === undefined) return;
  throw new MappingError(name, `"null_value" of field ${quote(name)} must be ${expected}, not ${show(value)}`);
}

function checkCopy(name: string, nestedPath: string, target: string, places: ReadonlyMap<string, Place>): void {
  const place = places.get(target);
  const problem =
    place === undefined
      ? undefined
      : place.isMultiField
        ? 'which is a multi-field'
        : place.field.kind === 'object'
          ? 'which is an object'
          : isAround(place.nestedPath, nestedPath)
            ? undefined
            : 'which is in other nested objects';
  if (problem === undefined) return;
  throw new MappingError(name, `copy_to of field ${quote(name)} cannot copy to ${quote(target)}, ${problem}`);
}

/** Whether a nested path equals or encloses another one. */
function isAround(outer: string, inner: string): boolean {
  return outer === '' || outer === inner || inner.startsWith(`${outer}.`);
}
