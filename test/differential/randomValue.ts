/* Values for documents and requests: small vocabularies, so that requests find something. */
import type { JsonValue } from '@millrace/kernel';
import type { Chance } from './Chance.js';
import type { RandomField } from './randomMapping.js';

const PLAIN_WORDS = [
  'mill', 'river', 'weir', 'race', 'lane', 'old', 'new', 'Running', 'runs', 'ran', 'the', 'of', 'and', 'Mills', 'rivers', 'generation',
]; // prettier-ignore
const WORDS = [
  ...PLAIN_WORDS, 'flying', 'skies', "miller's", 'café', 'CAFÉ', 'Straße', 'ночь', '日本語', 'foo-bar', "don't", 'a1', '3.14', '42', 'me@host.org', 'naïve',
]; // prettier-ignore
const SEPARATORS = [' ', ' ', ' ', ' ', ', ', '. ', ' - ', '\n', '; '];
const KEYWORDS = [
  'a', 'b', 'B', 'ab', 'abc', 'abd', 'Abc', 'é', 'E', 'mill', 'Mill Lane', 'mill lane', '10', '9', 'none', 'x.y', 'true', 'ÀB', '2024-02-01',
]; // prettier-ignore
const IPS = ['10.0.0.1', '10.0.0.2', '10.0.1.7', '192.168.1.1', '::1', '2001:db8::1', '2001:DB8:0:0:0:0:0:2'];
const PLACES = [
  [48.85, 2.35],
  [51.5, -0.12],
  [0, 0],
  [-33.9, 151.2],
  [64, 178.9],
  [10, -178.9],
] as const;
const LARGE: Readonly<Record<string, readonly number[]>> = {
  byte: [127, -128],
  short: [32_767, -32_768],
  integer: [2_147_483_647, -2_147_483_648],
  long: [10_000_000_000, 1_000_000],
};

/** One word, mostly plain. */
export function randomWord(chance: Chance): string {
  return chance.of(chance.percent(70) ? PLAIN_WORDS : WORDS);
}

/** Some words with separators. */
export function randomText(chance: Chance, most = 8): string {
  const text = (position: number) => (position === 0 ? '' : chance.of(SEPARATORS)) + randomWord(chance);
  return chance.list(chance.between(1, most), text).join('');
}

/** One value that fits the field. */
export function randomValue(field: RandomField, chance: Chance): JsonValue {
  switch (field.type) {
    case 'text':
      return randomText(chance, chance.percent(2) ? 120 : 8);
    case 'keyword':
      return chance.of(KEYWORDS);
    case 'byte':
    case 'short':
    case 'integer':
    case 'long': {
      const large = LARGE[field.type] ?? [];
      const value = chance.percent(6) ? chance.of(large) : chance.between(-4, 12);
      return chance.percent(4) ? String(value) : value;
    }
    case 'float':
    case 'double':
    case 'half_float': {
      const value = chance.between(-8, 40) / 4;
      return chance.percent(4) ? String(value) : value;
    }
    case 'boolean':
      return chance.percent(10) ? chance.of(['true', 'false']) : chance.percent(60);
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

/** A date as a string or number in the first of the formats, from 2023 to 2025; whole days are frequent. */
export function randomDate(chance: Chance, format?: string): string | number {
  const dayMs = Date.UTC(2023, 0, 1) + chance.below(chance.percent(60) ? 40 : 900) * 86_400_000;
  const ms = chance.percent(50) ? dayMs : dayMs + chance.below(86_400) * 1000;
  const iso = new Date(ms).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  switch (format) {
    case 'yyyy-MM-dd':
      return day;
    case 'yyyy-MM-dd HH:mm:ss||yyyy-MM-dd':
      return chance.percent(50) ? day : `${day} ${time}`;
    case 'epoch_second':
      return ms / 1000;
    case 'dd/MM/yyyy':
      return day.split('-').reverse().join('/');
    default:
      return chance.of([day, iso, `${day}T${time}`, `${day}T${time}+02:00`, day.slice(0, 7), ms]);
  }
}

/** A point near one of a few places, in any of its forms. */
export function randomPoint(chance: Chance): JsonValue {
  const [lat, lon] = randomCoordinates(chance);
  return chance.of<JsonValue>([
    { lat, lon },
    `${lat},${lon}`,
    [lon, lat],
    `POINT (${lon} ${lat})`,
    { type: 'Point', coordinates: [lon, lat] },
    chance.of(['u09tvw0', 'gcpvj0', 'ezs42']),
  ]);
}

/** Latitude and longitude near one of a few places. */
export function randomCoordinates(chance: Chance): readonly [lat: number, lon: number] {
  const [lat, lon] = chance.of(PLACES);
  const near = (degrees: number) => Math.round(degrees * 1e6 + chance.between(-300_000, 300_000)) / 1e6;
  return [near(lat), near(lon)];
}

/** Values that fit few fields. */
export function randomOddValue(chance: Chance): JsonValue {
  return chance.of<JsonValue>([
    'mill',
    '7',
    7,
    -1.5,
    300,
    true,
    '2024-02-30',
    '2024-01-01',
    '10.0.0.256',
    { lat: 95, lon: 0 },
    '91,0',
  ]);
}
