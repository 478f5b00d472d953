import { type JsonScalar, parseDateMath, type Point } from '@millrace/language';
import { invalid } from '../errors.js';
import { isNumberType } from '../mapping/numberRange.js';
import { parseDistance, parsePoint } from '../geo/parsePoint.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { toNumber } from '../parse/Options.js';
import { quote } from '../show.js';
import type { DecayFunction } from '../tree/Query.js';
import { MS_PER_UNIT } from '../parse/parseSpan.js';

/** A decay in the field's unit: numbers unchanged, dates in milliseconds, points in metres. */
export interface CoercedDecay {
  readonly origin: number | Point;
  readonly scale: number;
  readonly offset: number;
}

/** What is read of a function of distance. */
export interface DecayGiven extends Pick<DecayFunction, 'origin' | 'scale' | 'offset' | 'path'> {
  /** Its name in messages. */
  readonly shape: string;
  /** The name of its scale in messages. */
  readonly scaleName?: string;
}

/**
 * Reads origin, scale and offset by the field's type. The default origin of a date is `now`.
 * @throws QueryError
 */
export function coerceDecay(field: CompiledField, decay: DecayGiven, nowMs: number): CoercedDecay {
  const { path, scaleName = 'scale' } = decay;
  const fail = (what: string): never => {
    throw invalid(
      path,
      `${what} of ${decay.shape} on ${quote(field.name)} at ${path} does not fit a ${field.type} field`,
    );
  };
  const length = (value: JsonScalar, read: (value: JsonScalar) => number | undefined, what: string) =>
    read(value) ?? fail(what);
  const read = field.type === 'date' ? readSpan : field.type === 'geo_point' ? parseDistance : toNumber;
  const isNumeric = isNumberType(field.type) || field.type === 'boolean';
  if (read === toNumber && !isNumeric) fail('The function');
  const scale = length(decay.scale, read, scaleName);
  const offset = length(decay.offset, read, 'offset');
  if (!(scale > 0)) fail(`${scaleName} (must be > 0)`);
  if (offset < 0) fail('offset (must be ≥ 0)');
  return { origin: readOrigin(field, decay, nowMs) ?? fail('origin'), scale, offset };
}

function readOrigin(field: CompiledField, { origin }: DecayGiven, nowMs: number): number | Point | undefined {
  if (field.type === 'date') {
    if (typeof origin === 'object') return undefined;
    const text = origin === undefined ? 'now' : String(origin);
    return parseDateMath(text, { format: field.dateFormat, nowMs });
  }
  if (origin === undefined) return undefined;
  if (field.type === 'geo_point') return typeof origin === 'object' ? origin : parsePoint(origin);
  return typeof origin === 'object' ? undefined : toNumber(origin);
}

function readSpan(value: JsonScalar): number | undefined {
  if (typeof value === 'number') return value;
  const [, amount, unit] = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d|w)?$/.exec(String(value)) ?? [];
  const ms = Number(amount) * (MS_PER_UNIT[unit ?? 'ms'] ?? Number.NaN);
  return ms === ms ? ms : undefined;
}
