/*
 * Validates and parses a collection's specification (VALID-1, VALID-2, VALID-43). Every fault is reported, so user
 * errors never throw.
 */
import { FilterError, normalizeFilter, parseFilter, type Filter } from '@millrace/filters';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { own } from '@millrace/language';
import { FieldReader, type ReadField } from './FieldReader.js';
import { quoteName } from './fieldTypes/OptionReader.js';
import type { Specification, SpecificationLevel, SpecifiedField } from './Specification.js';

const MAX_FIELDS = 1_000;
const MAX_LEVELS = 20;
const KEYS = ['strict', 'fields', 'validators'];

/** A specification and its faults. Usable if there are none. */
export interface ParsedSpecification {
  readonly specification: Specification;
  /** Each `<prefix>[.<field path>]: <reason>`. */
  readonly faults: readonly string[];
}

/** @param prefix `<index>.<collection>` @param nowMs for defaults of dates with a range relative to the current time */
export function parseSpecification(value: JsonObject, prefix: string, nowMs: number): ParsedSpecification {
  const faults: string[] = [];
  const report = (reason: string, path?: string) => {
    faults.push(`${prefix}${path === undefined ? '' : `.${path}`}: ${reason}`);
  };
  for (const key of Object.keys(value)) {
    if (!KEYS.includes(key)) report(`unknown key ${quoteName(key)}, expected ${KEYS.join(', ')}`);
  }
  const strict = own(value, 'strict');
  if (strict !== undefined && typeof strict !== 'boolean') report('strict must be true or false');
  const fields = readFields(own(value, 'fields'), nowMs, report);
  const root = toLevel(fields, strict === true, report);
  const validators = readValidators(own(value, 'validators'), report);
  return { specification: { root, validators }, faults };
}

function readFields(
  value: JsonValue | undefined,
  nowMs: number,
  report: (reason: string, path?: string) => void,
): readonly ReadField[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) {
    report('fields must be an object');
    return [];
  }
  const paths = Object.keys(value);
  if (paths.length > MAX_FIELDS) {
    report(`more than ${MAX_FIELDS} fields`);
    return [];
  }
  return paths.flatMap((path) => {
    const names = path.split('/');
    const at = (reason: string) => report(reason, path);
    if (names.length > MAX_LEVELS) at(`more than ${MAX_LEVELS} levels`);
    else if (names.includes('')) at('a name in the path is empty');
    else return [new FieldReader(at, nowMs).read(names, value[path] ?? null)];
    return [];
  });
}

/** Builds the tree of fields. */
function toLevel(
  fields: readonly ReadField[],
  isRootStrict: boolean,
  report: (reason: string, path?: string) => void,
): SpecificationLevel {
  const byPath = new Map(fields.map((field) => [field.path.join('/'), field]));
  const children = new Map<string, ReadField[]>();
  for (const field of fields) {
    const parentPath = field.path.slice(0, -1).join('/');
    const parent = byPath.get(parentPath);
    const isBelow = field.path.length > 1;
    if (isBelow && parent === undefined) {
      report(`its parent ${quoteName(parentPath)} is not declared`, field.path.join('/'));
    } else if (isBelow && parent?.isFaulty === false && parent.type.level === undefined) {
      report(`its parent ${quoteName(parentPath)} is no object`, field.path.join('/'));
    }
    const siblings = children.get(parentPath);
    if (siblings === undefined) children.set(parentPath, [field]);
    else siblings.push(field);
  }
  const build = (path: string, isStrict: boolean): SpecificationLevel => {
    const declared = (children.get(path) ?? []).map((field): [string, SpecifiedField] => {
      const { level: own } = field.type;
      const level = own && build(field.path.join('/'), own.isStrict ?? isStrict);
      return [field.path[field.path.length - 1] ?? '', { ...field, level }];
    });
    return { isStrict: isStrict && declared.length > 0, fields: new Map(declared) };
  };
  return build('', isRootStrict);
}

function readValidators(value: JsonValue | undefined, report: (reason: string) => void): Filter | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    report('validators must be a list of filters');
    return undefined;
  }
  if (value.length === 0) return undefined;
  try {
    const filter = parseFilter({ bool: { must: value } });
    // Called for its limits, which also apply to validators.
    normalizeFilter(filter);
    return filter;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    report(`validators: ${error.message}`);
    return undefined;
  }
}
