const MAX_TEXT_LENGTH = 128;
const SHAPE = /^(\d+\.?\d*|\.\d+)([a-z]*)$/;

const METRES_OF: ReadonlyMap<string, number> = new Map([
  ...unit(1, '', 'm', 'meter', 'meters', 'metre', 'metres'),
  ...unit(1_000, 'km', 'kilometer', 'kilometers', 'kilometre', 'kilometres'),
  ...unit(0.01, 'cm', 'centimeter', 'centimeters', 'centimetre', 'centimetres'),
  ...unit(0.001, 'mm', 'millimeter', 'millimeters', 'millimetre', 'millimetres'),
  ...unit(1_852, 'nmi', 'nauticalmile', 'nauticalmiles'),
  ...unit(0.3048, 'ft', 'foot', 'feet'),
  ...unit(0.0254, 'in', 'inch', 'inches'),
  ...unit(0.9144, 'yd', 'yard', 'yards'),
  ...unit(1_609.34, 'mi', 'mile', 'miles'),
]);

function unit(metres: number, ...names: string[]): [string, number][] {
  return names.map((name) => [name, metres]);
}

/**
 * Parses a distance string such as `1 093,61 yd` (FILTER-22).
 * @returns metres, rounded to 10⁻⁶; undefined if it is not a distance
 */
export function parseDistance(text: string): number | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const found = SHAPE.exec(text) ?? SHAPE.exec(text.replace(/\s+/g, '').replaceAll(',', '.').toLowerCase()); // prettier-ignore
  const [, number, name] = found ?? [];
  if (number === undefined || name === undefined) return undefined;
  const metres = METRES_OF.get(name);
  if (metres === undefined) return undefined;
  const exact = Number(number) * metres;
  const rounded = Math.round(exact * 1e6) / 1e6;
  return Number.isFinite(rounded) ? rounded : undefined;
}
