/*
 * Values of fields, for documents and requests alike: small vocabularies, so that requests find something, with the odd
 * cases of each type among them.
 */
import type { JsonValue } from '@millrace/kernel';
import type { Chance } from './Chance.js';
import type { RandomField } from './randomMapping.js';

const WORDS = [
  'mill', 'river', 'weir', 'race', 'lane', 'old', 'new', 'Running', 'runs', 'ran', 'the', 'of', 'and', 'Mills', 'rivers',
  'generously', 'generation', 'flying', 'skies', "miller's", 'café', 'CAFÉ', 'Straße', 'strasse', 'ночь', 'ΌΣΟΣ', '日本語', 'かな', 'カタカナ',
  '한국어', 'foo-bar', "don't", 'a1', 'x_y', '3.14', '1,000', '42', 'e.g.', 'U.S.A', 'me@host.org', 'http://a.b/c?d=1', '😀', '👩‍👩‍👧', '𝒳yz', 'naïve', 'İstanbul', 'ไทย',
]; // prettier-ignore
const PLAIN_WORDS = WORDS.slice(0, 16);
const SEPARATORS = [' ', ' ', ' ', ' ', ', ', '. ', ' - ', '\n', '; ', '/'];
const KEYWORDS = [
  'a', 'b', 'B', 'ab', 'abc', 'abd', 'Abc', 'é', 'E', 'mill', 'Mill Lane', 'mill lane', '10', '9', '', ' ', 'none', 'x.y', 'a*c', 'true', '😀', '\uff5e', 'ÀB', '2024-02-01',
]; // prettier-ignore
const IPS = ['10.0.0.1', '10.0.0.2', '10.0.1.7', '192.168.1.1', '255.255.255.255', '0.0.0.0', '::1', '2001:db8::1', '2001:DB8:0:0:0:0:0:2', '::ffff:10.0.0.1']; // prettier-ignore
const LIMITS: Readonly<Record<string, readonly number[]>> = {
  byte: [127, -128],
  short: [32_767, -32_768, 1000],
  integer: [2_147_483_647, -2_147_483_648, 100_000],
  long: [9_007_199_254_740_991, -9_007_199_254_740_991, 10_000_000_000],
  half_float: [65_504, 1000, 0.1],
  float: [16_777_217, 0.1, 1e-8, 3e38],
  double: [0.1, 1e15, 1e-12, 123_456_789.123],
};

/** One word, mostly plain. */
export function randomWord(chance: Chance): string {
  return chance.percent(70) ? chance.of(PLAIN_WORDS) : chance.of(WORDS);
}

/** Some words with what stands between them. */
export function randomText(chance: Chance, most = 8): string {
  const count = chance.between(1, most);
  return chance
    .list(count, (position) => (position === 0 ? '' : chance.of(SEPARATORS)) + randomWord(chance))
    .join('');
}

/** One value that fits the field. */
export function randomValue(field: RandomField, chance: Chance): JsonValue {
  switch (field.type) {
    case 'text':
      return longText(chance) ?? randomText(chance);
    case 'keyword':
      return chance.percent(3) ? chance.of([7, true, 'x'.repeat(300), 2.5]) : chance.of(KEYWORDS);
    case 'byte':
    case 'short':
    case 'integer':
    case 'long': {
      const value = chance.percent(8)
        ? chance.of(LIMITS[field.type] ?? [0])
        : chance.between(-4, 12);
      return chance.percent(5) ? chance.of([String(value), `${value}`, 3.7, '2.0']) : value;
    }
    case 'float':
    case 'double':
    case 'half_float': {
      const value = chance.percent(12)
        ? chance.of(LIMITS[field.type] ?? [0])
        : chance.between(-8, 40) / 4;
      return chance.percent(5) ? String(value) : value;
    }
    case 'boolean':
      return chance.percent(15) ? chance.of(['true', 'false', '']) : chance.percent(60);
    case 'date':
      return randomDate(chance, field.format);
    case 'ip':
      return chance.of(IPS);
    case 'geo_point':
      return randomPoint(chance);
    case 'binary':
      return chance.of(['aGVsbG8=', 'AAEC', 'bWlsbA==']);
  }
}

function longText(chance: Chance): string | undefined {
  if (!chance.percent(2)) return undefined;
  return chance.of([
    () => randomText(chance, 120),
    () => `mill ${'y'.repeat(chance.between(250, 600))} river`,
    () => '',
    () => '  ... !',
  ])();
}

/** An instant from 2023 to 2025, whole days being frequent. */
function randomInstantMs(chance: Chance): number {
  const dayMs = Date.UTC(2023, 0, 1) + chance.below(chance.percent(60) ? 40 : 900) * 86_400_000;
  return chance.percent(50) ? dayMs : dayMs + chance.below(86_400) * 1000;
}

/** A date as text or number in the first of the formats. */
export function randomDate(chance: Chance, format?: string): string | number {
  const ms = randomInstantMs(chance);
  const iso = new Date(ms).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  switch (format) {
    case 'yyyy-MM-dd':
      return day;
    case 'yyyy-MM-dd HH:mm:ss||yyyy-MM-dd':
      return chance.percent(50) ? day : `${day} ${time}`;
    case 'epoch_second':
      return chance.percent(50) ? ms / 1000 : String(ms / 1000);
    case 'basic_date':
      return day.replaceAll('-', '');
    case 'dd/MM/yyyy':
      return day.split('-').reverse().join('/');
    case 'date_hour_minute_second':
      return `${day}T${time}`;
    default:
      return chance.of([
        day,
        iso,
        `${day}T${time}`,
        `${day}T${time.slice(0, 5)}+02:00`,
        `${day}T${time}.123Z`,
        day.slice(0, 7),
        ms,
        ms + 5,
        String(ms),
      ]);
  }
}

/** A point near one of a few places, in any of its written forms. */
export function randomPoint(chance: Chance): JsonValue {
  const [lat, lon] = randomCoordinates(chance);
  return chance.of<() => JsonValue>([
    () => ({ lat, lon }),
    () => `${lat},${lon}`,
    () => [lon, lat],
    () => `POINT (${lon} ${lat})`,
    () => ({ type: 'Point', coordinates: [lon, lat] }),
    () => chance.of(['u09tvw0', 'gcpvj0', 'ezs42', 's00', 'u0']),
    () => ({ lat: String(lat), lon: String(lon) }),
  ])();
}

/** Latitude and longitude near one of a few places. */
export function randomCoordinates(chance: Chance): readonly [lat: number, lon: number] {
  const [lat, lon] = chance.of([[48.85, 2.35], [51.5, -0.12], [0, 0], [-33.9, 151.2], [64, 179.9], [10, -179.9]] as const); // prettier-ignore
  const jitter = () => chance.between(-300, 300) / 1000;
  const shifted = lon + jitter();
  return [round(lat + jitter()), round(Math.abs(shifted) > 180 ? lon : shifted)];
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** Values that fit few fields or none. */
export function randomOddValue(chance: Chance): JsonValue {
  return chance.of<JsonValue>([
    'mill', '', '7', 7, -1.5, 1e300, 300, true, false, '2024-02-30', '2024-01-01', {}, { a: 1 }, [[1, 2], [3]], [1, 'a', null], ['2024-01-01', 5], '1e400', 'NaN', '10.0.0.256',
    { lat: 95, lon: 0 }, '91,0', 12_345_678_901_234, 'Infinity', ' 5', '5 ', '+5', '0x10', [null], [[]], [{}, { b: 'x' }],
  ]); // prettier-ignore
}
