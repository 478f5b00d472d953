import { isJsonObject, type JsonObject } from '@millrace/kernel';
import { addMapping, addSpecification, createNode } from './FieldNode.js';
import { writeActions } from './writeActions.js';
import { writeFields, writeName } from './writeFields.js';

/** A collection of the server. */
export interface DescribedCollection {
  readonly index: string;
  readonly name: string;
  /** `properties` of the mapping. */
  readonly properties: JsonObject;
  /** `fields` of the validation specification; null: there is none. */
  readonly specified: JsonObject | null;
}

const GEO_POINT =
  '/** A place: `{lat, lon}`, `[lon, lat]`, `"lat, lon"` or a geohash. */\ntype GeoPoint = { lat: number; lon: number } | [number, number] | string;\n';

/** The file that `millrace types` prints. */
export function writeClientTypes(
  collections: readonly DescribedCollection[],
  description: JsonObject,
  isSingle: boolean,
): string {
  const named = new Map<string, string>();
  const indexes = new Map<string, string[]>();
  for (const { index, name, properties, specified } of collections) {
    const root = createNode();
    addMapping(root, properties, isSingle);
    if (isJsonObject(specified)) addSpecification(root, specified);
    const type = freeName(`${toTypeName(index)}${toTypeName(name)}`, named);
    const body = root.fields.size === 0 ? '  [field: string]: unknown;' : writeFields(root.fields);
    named.set(type, `/** Documents of ${index}/${name}. */\nexport interface ${type} {\n${body}\n}\n`);
    const lines = indexes.get(index) ?? [];
    indexes.set(index, lines);
    lines.push(`    ${writeName(name)}: ${type};`);
  }
  const members = [...indexes].map(([index, lines]) => `  ${writeName(index)}: {\n${lines.join('\n')}\n  };`);
  const interfaces = [...named.values()].join('\n');
  const actions = writeActions(description);
  return [
    `// Made by \`npx millrace types\`. Do not edit.${actions === '' ? '' : `\nimport '@millrace/client';`}\n`,
    `/** Index → collection → content of a document: \`createClient<Schema>(url)\`. */\nexport interface Schema {\n${members.join('\n')}\n}\n`,
    interfaces,
    ...(/\bGeoPoint\b/.test(interfaces) ? [GEO_POINT] : []),
    ...(actions === '' ? [] : [actions]),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}${number}`;
  return free;
}

/** `bike-stations` → `BikeStations`. */
function toTypeName(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `_${joined}`;
}
