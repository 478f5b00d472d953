import { isJsonObject, type JsonValue, own } from '@millrace/language';
import { invalid } from '../errors.js';
import { present } from '../present.js';
import type { Query, QueryBase } from '../tree/Query.js';
import { checkFieldName } from './checkFieldName.js';
import type { ParseNamedQuery, QueryParser } from './QueryParser.js';
import { Options } from './Options.js';

/** `boost` and `_name`, which every query takes, and the legacy options that all queries ignore. */
export function readBase(options: Options, outer?: QueryBase): QueryBase {
  options.dropLegacy();
  const boost = options.number('boost', { min: 0 }) ?? outer?.boost ?? 1;
  const name = options.looseText('_name') ?? outer?.name;
  return present({ boost, name, path: outer?.path ?? options.path });
}

/** A parser of bodies with options. @param read takes those of the query; `base` has the others */
export function bodyParser(
  construct: string,
  read: (options: Options, base: QueryBase, parser: QueryParser) => Query,
): ParseNamedQuery {
  return (value, path, parser) => {
    const options = Options.from(value, path, construct);
    const query = read(options, readBase(options), parser);
    options.end();
    return query;
  };
}

export interface FieldEntry {
  readonly field: string;
  readonly value: JsonValue;
  readonly base: QueryBase;
  /** Options of the field's entry. */
  readonly path: string;
}

/**
 * Reads `{<field>: <value>}`. In addition to the field, `boost`, `_name` and ignored legacy options may be present; if
 * one of these is the only key, it is the field.
 */
export function readFieldEntry(
  value: JsonValue | undefined,
  path: string,
  construct: string,
  extra?: { readonly allowed?: '_id'; readonly options?: Options },
): FieldEntry {
  const options = extra?.options ?? Options.from(value, path, construct);
  const keys = Object.keys(options.source);
  const onlyKey = keys.length === 1 && extra?.options === undefined ? keys[0] : undefined;
  const base: QueryBase = onlyKey === undefined ? readBase(options) : { boost: 1, path };
  const [field, second] = onlyKey === undefined ? options.rest() : [onlyKey];
  if (field === undefined) throw invalid(path, `${construct} at ${path} names no field`);
  if (second !== undefined) {
    // A script next to a field is refused as a script; any other second key is one field too many.
    options.drop(field);
    if (/script/.test(second)) options.end();
    throw invalid(path, `${construct} at ${path} must name one field, not also "${second.slice(0, 60)}"`);
  }
  checkFieldName(field, path, extra?.allowed);
  return { field, value: own(options.source, field) ?? null, base, path: `${path}.${field}` };
}

/** The options of a field's long form, or undefined for the short form. */
export function longForm(entry: FieldEntry, construct: string): Options | undefined {
  return isJsonObject(entry.value) ? new Options(entry.value, entry.path, construct) : undefined;
}
