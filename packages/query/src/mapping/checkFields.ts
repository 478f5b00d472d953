import {
  isJsonScalar,
  own,
  compileDateFormat,
  DEFAULT_DATE_FORMAT,
  type JsonObject,
  type JsonScalar,
} from '@millrace/language';
import { compileAnalysis, type Analyzers } from '../analysis/compileAnalysis.js';
import { parseIp } from './ip.js';
import { isIntegerType, isNumberType, isWithinType, toDecimal } from './numberRange.js';
import { MappingError } from '../errors.js';
import { quote, show } from '../show.js';
import type { FieldMapping, LeafMapping, Mapping, LeafType } from './Mapping.js';

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

/**
 * The expected form of a `null_value` for its field; undefined if it is valid. It replaces null in documents, so an
 * invalid one would make every null fail.
 */
function nullValueProblem(type: LeafType, value: JsonScalar, parameters: JsonObject): string | undefined {
  if (isNumberType(type)) return isNumber(type, value) ? undefined : `a number of type ${type}`;
  if (type === 'date') {
    const given = own(parameters, 'format');
    const format = compileDateFormat(
      typeof given === 'string' ? given : DEFAULT_DATE_FORMAT,
      (message) => new MappingError('', message),
    );
    const isDate = typeof value !== 'boolean' && format.parse(String(value)) !== undefined;
    return isDate ? undefined : `a date of format ${format.text}`;
  }
  if (type === 'ip') {
    const isIp = typeof value === 'string' && parseIp(value) !== undefined;
    return isIp ? undefined : 'an IPv4 or IPv6 address';
  }
  return undefined;
}

function isNumber(type: LeafType, value: JsonScalar): boolean {
  if (typeof value === 'boolean') return false;
  const number = typeof value === 'string' ? toDecimal(value) : value;
  return isWithinType(type, number) && (!isIntegerType(type) || Number.isInteger(number));
}

const PARAMETERS = ['analyzer', 'search_analyzer', 'search_quote_analyzer'] as const;

/**
 * Checks that the analyzer definitions are usable and that the analyzers named by fields exist.
 * @throws MappingError
 */
export function checkAnalyzers(mapping: Mapping): void {
  checkAll(mapping.properties, 'properties', compileAnalysis(mapping.analysis));
}

function checkAll(fields: ReadonlyMap<string, FieldMapping>, path: string, analyzers: Analyzers): void {
  for (const [name, field] of fields) {
    const place = `${path}.${name}`;
    if (field.kind === 'object') checkAll(field.properties, `${place}.properties`, analyzers);
    else {
      checkLeaf(field, place, analyzers);
      checkAll(field.fields, `${place}.fields`, analyzers);
    }
  }
}

function checkLeaf({ type, parameters }: LeafMapping, path: string, analyzers: Analyzers): void {
  if (type !== 'text') return;
  for (const parameter of PARAMETERS) {
    const name = own(parameters, parameter);
    if (typeof name !== 'string' || (name !== 'default' && analyzers.has(name))) continue;
    throw new MappingError(
      `${path}.${parameter}`,
      `${quote(parameter)} at ${path} must be one of ${analyzerList(analyzers)}, not ${quote(name)}`,
    );
  }
}

/** The names, for a message. */
export function analyzerList(analyzers: Analyzers): string {
  return [...analyzers.keys()].filter((name) => name !== 'default').join(', ');
}
