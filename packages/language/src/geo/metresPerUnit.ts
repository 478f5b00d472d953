/** Metres by unit of length; a filter's mile differs (FILTER-22). */
const METRES_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['m', 1],
  ['meter', 1],
  ['meters', 1],
  ['metre', 1],
  ['metres', 1],
  ['km', 1000],
  ['kilometer', 1000],
  ['kilometers', 1000],
  ['kilometre', 1000],
  ['kilometres', 1000],
  ['cm', 0.01],
  ['centimeter', 0.01],
  ['centimeters', 0.01],
  ['centimetre', 0.01],
  ['centimetres', 0.01],
  ['mm', 0.001],
  ['millimeter', 0.001],
  ['millimeters', 0.001],
  ['millimetre', 0.001],
  ['millimetres', 0.001],
  ['mi', 1609.344],
  ['mile', 1609.344],
  ['miles', 1609.344],
  ['yd', 0.9144],
  ['yard', 0.9144],
  ['yards', 0.9144],
  ['ft', 0.3048],
  ['foot', 0.3048],
  ['feet', 0.3048],
  ['in', 0.0254],
  ['inch', 0.0254],
  ['inches', 0.0254],
  ['nmi', 1852],
  ['nm', 1852],
  ['nauticalmile', 1852],
  ['nauticalmiles', 1852],
]);

/** Metres per unit, for a unit or its English name (SEARCH-25) in any case; undefined for any other word. */
export function metresPerUnit(unit: string): number | undefined {
  return METRES_BY_UNIT.get(unit.toLowerCase());
}
