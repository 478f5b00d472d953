import { parsePoint } from '@millrace/filters';
import { isJsonObject } from '@millrace/kernel';
import { dateType } from './dateType.js';
import type { FieldType, OptionReader } from './OptionReader.js';
import { geoShapeType } from './geoShapeType.js';
import { emailType, enumType, ipAddressType, stringType, urlType } from './textTypes.js';

/** The field types by name (VALID-20); each reads its own options. */
export const FIELD_TYPES: ReadonlyMap<string, (options: OptionReader) => FieldType> = new Map([
  ['anything', (): FieldType => ({ check: () => undefined, takesNull: true })],
  ['boolean', () => plainType((value) => typeof value === 'boolean', 'Expected a boolean.')],
  ['integer', (options: OptionReader) => numberType(options, 'Expected an integer.', Number.isInteger)],
  ['numeric', (options: OptionReader) => numberType(options, 'Expected a number.', () => true)],
  ['string', stringType],
  ['enum', enumType],
  ['date', dateType],
  ['email', emailType],
  ['url', urlType],
  ['ip_address', ipAddressType],
  ['geo_point', () => plainType((value) => parsePoint(value) !== undefined, 'Not a valid geo point.')],
  ['geo_shape', geoShapeType],
  ['object', objectType],
]);

function plainType(passes: (value: Parameters<FieldType['check']>[0]) => boolean, message: string): FieldType {
  return { check: (value) => (passes(value) ? undefined : message) };
}

function numberType(options: OptionReader, message: string, passes: (value: number) => boolean): FieldType {
  const { min, max } = options.bounds('range', () => true, 'a number');
  return {
    check: (value) => {
      if (typeof value !== 'number' || !passes(value)) return message;
      if (value < min) return `Value is below the minimum ${min}.`;
      return value > max ? `Value is above the maximum ${max}.` : undefined;
    },
  };
}

function objectType(options: OptionReader): FieldType {
  return {
    check: (value) => (isJsonObject(value) ? undefined : 'Expected an object.'),
    level: { isStrict: options.boolean('strict') },
  };
}
