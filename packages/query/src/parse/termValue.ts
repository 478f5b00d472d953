import { type JsonScalar, isJsonScalar } from '@millrace/language';
import { invalid } from '../errors.js';
import { quote, show } from '../show.js';
import type * as tree from '../tree/Query.js';
import type { Options } from './Options.js';
import { type FieldEntry, longForm, readBase } from './queryBase.js';

type TermValue = tree.QueryBase & {
  readonly value: JsonScalar;
  readonly caseInsensitive: boolean;
};

/** A value, or an object with one under one of the keys and options. */
export function readTermValue(entry: FieldEntry, construct: string, keys: readonly string[]): TermValue {
  const options = longForm(entry, construct);
  if (options === undefined) {
    return { ...entry.base, value: shortValue(entry, construct), caseInsensitive: false };
  }
  const base = readBase(options, entry.base);
  const caseInsensitive = options.boolean('case_insensitive') ?? false;
  const value = firstScalar(options, keys);
  options.end();
  return { ...base, value, caseInsensitive };
}

/** The value of the short form. */
export function shortValue(entry: FieldEntry, construct: string): JsonScalar {
  if (isJsonScalar(entry.value)) return entry.value;
  throw invalid(
    entry.path,
    `${construct} on ${quote(entry.field)} at ${entry.base.path} needs one value, not ${show(entry.value)}`,
  );
}

/** The first value given under one of the keys. */
export function firstScalar(options: Options, keys: readonly string[]): JsonScalar {
  let found: JsonScalar | undefined;
  for (const key of keys) found ??= options.scalar(key);
  return found ?? options.fail(keys[0] ?? 'value', 'a string, number or boolean');
}
