import { compileDateFormat, isJsonObject, isJsonScalar, type JsonValue } from '@millrace/language';
import { parsePoint } from '../geo/parsePoint.js';
import type { LeafType } from './Mapping.js';

/** Checks a parameter: returns its value in the current syntax, or the expected form. */
export type ParameterRule = (value: JsonValue) => { readonly value: JsonValue } | { readonly expected: string };

const boolean: ParameterRule = (value) => {
  if (typeof value === 'boolean') return { value };
  if (value === 'true' || value === 'false') return { value: value === 'true' };
  return { expected: 'true or false' };
};

const legacyIndex: ParameterRule = (value) => {
  if (value === 'no') return { value: false };
  if (value === 'yes' || value === 'analyzed' || value === 'not_analyzed') return { value: true };
  return boolean(value);
};

/** Old forms are objects: `norms: {enabled: false}`. */
const norms: ParameterRule = (value) => {
  if (!isJsonObject(value)) return boolean(value);
  return Object.hasOwn(value, 'enabled') ? boolean(value['enabled'] ?? null) : { value: true };
};

const count: ParameterRule = (value) => {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  const isCount = typeof number === 'number' && Number.isSafeInteger(number) && number >= 0;
  return isCount ? { value: number } : { expected: 'an integer ≥ 0' };
};

const positive: ParameterRule = (value) => {
  const number = typeof value === 'string' && /^\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : value;
  const isPositive = typeof number === 'number' && Number.isFinite(number) && number > 0;
  return isPositive ? { value: number } : { expected: 'a number > 0' };
};

/** The valid names depend on the settings: `checkAnalyzers`. */
const analyzer: ParameterRule = (value) =>
  typeof value === 'string' ? { value } : { expected: 'the name of an analyzer' };

const oneOf =
  (...words: readonly string[]): ParameterRule =>
  (value) =>
    typeof value === 'string' && words.includes(value) ? { value } : { expected: `one of ${words.join(', ')}` };

const scalar: ParameterRule = (value) =>
  isJsonScalar(value) ? { value } : { expected: 'a string, number or boolean' };

/** Elasticsearch returns a point as an object, whatever its original form. */
const point: ParameterRule = (value) => {
  const parsed = parsePoint(value);
  if (parsed === undefined) return { expected: 'a point such as "lat,lon"' };
  return { value: `${parsed.lat},${parsed.lon}` };
};

const text: ParameterRule = (value) =>
  typeof value === 'string' && value.length <= 100 ? { value } : { expected: 'a string' };

const dateFormat: ParameterRule = (value) => {
  const expected = 'a date format such as strict_date_optional_time||epoch_millis or yyyy-MM-dd';
  if (typeof value !== 'string') return { expected };
  try {
    compileDateFormat(value, () => new RangeError(expected));
    return { value };
  } catch {
    return { expected };
  }
};

const meta: ParameterRule = (value) => {
  const isFit =
    isJsonObject(value) &&
    Object.keys(value).length <= 5 &&
    Object.entries(value).every(([key, item]) => key.length <= 20 && typeof item === 'string' && item.length <= 50);
  return isFit ? { value } : { expected: 'an object of at most 5 strings of 50 characters (names: 20)' };
};

const COMMON = {
  index: legacyIndex,
  doc_values: boolean,
  store: boolean,
  null_value: scalar,
  meta,
} as const;
const NUMBER = { ...COMMON, coerce: boolean, ignore_malformed: boolean } as const;
const TEXT = {
  index: legacyIndex,
  store: boolean,
  meta,
  analyzer,
  search_analyzer: analyzer,
  search_quote_analyzer: analyzer,
  fielddata: boolean,
  norms,
  index_options: oneOf('docs', 'freqs', 'positions', 'offsets'),
  term_vector: oneOf(
    'no',
    'yes',
    'with_positions',
    'with_offsets',
    'with_positions_offsets',
    'with_positions_payloads',
    'with_positions_offsets_payloads',
  ),
  position_increment_gap: count,
} as const;
const GEO = {
  index: legacyIndex,
  doc_values: boolean,
  store: boolean,
  meta,
  ignore_malformed: boolean,
  ignore_z_value: boolean,
} as const;

/** The parameters of each type (SEARCH-41); `fields` and `copy_to` are read separately. */
export const PARAMETER_RULES: Readonly<Record<LeafType, Readonly<Record<string, ParameterRule>>>> = {
  text: TEXT,
  keyword: {
    ...COMMON,
    ignore_above: count,
    norms,
    normalizer: oneOf('lowercase'),
    index_options: oneOf('docs', 'freqs'),
  },
  byte: NUMBER,
  short: NUMBER,
  integer: NUMBER,
  long: NUMBER,
  float: NUMBER,
  double: NUMBER,
  half_float: NUMBER,
  scaled_float: { ...NUMBER, scaling_factor: positive },
  boolean: { ...COMMON, null_value: boolean },
  date: { ...COMMON, format: dateFormat, locale: text, ignore_malformed: boolean },
  ip: { ...COMMON, ignore_malformed: boolean },
  geo_point: { ...GEO, null_value: point },
  geo_shape: {
    ...GEO,
    orientation: oneOf('right', 'left', 'ccw', 'cw', 'counterclockwise', 'clockwise'),
  },
  binary: { doc_values: boolean, store: boolean, meta },
};

/** Legacy parameters without effect (SEARCH-42). */
export function isDroppedParameter(name: string, value: JsonValue): boolean {
  if (name === 'fielddata') return isJsonObject(value);
  return /^(include_in_all|_all|precision_step|omit_norms|path|lat_lon|boost|geohash.*|validate.*|normalize|normalize_.*)$/.test(
    name,
  );
}
