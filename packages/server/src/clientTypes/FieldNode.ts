import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** A field of a collection's documents, from its mapping and its validation specification. */
export interface FieldNode {
  /** Types of one value in TypeScript; ignored if there are `fields`. */
  type: string;
  /** `maybe`: a mapping holds for one value and for a list of them. */
  list: 'no' | 'yes' | 'maybe';
  isRequired: boolean;
  readonly fields: Map<string, FieldNode>;
}

const POINT = 'GeoPoint';
const NUMBERS = ['long', 'integer', 'short', 'byte', 'double', 'float', 'half_float', 'scaled_float', 'unsigned_long'];
const STRINGS = [
  'text',
  'keyword',
  'wildcard',
  'constant_keyword',
  'match_only_text',
  'ip',
  'version',
  'binary',
  'search_as_you_type',
];

const MAPPED: ReadonlyMap<string, string> = new Map([
  ...NUMBERS.map((name) => [name, 'number'] as const),
  ...STRINGS.map((name) => [name, 'string'] as const),
  ['boolean', 'boolean'],
  ['date', 'string | number'],
  ['date_nanos', 'string | number'],
  ['geo_point', POINT],
  ['dense_vector', 'number[]'],
]);

const SPECIFIED: ReadonlyMap<string, string> = new Map([
  ['boolean', 'boolean'],
  ['integer', 'number'],
  ['numeric', 'number'],
  ['string', 'string'],
  ['date', 'string | number'],
  ['email', 'string'],
  ['url', 'string'],
  ['ip_address', 'string'],
  ['geo_point', POINT],
]);

/** A document without known fields. */
export function createNode(): FieldNode {
  return { type: 'unknown', list: 'no', isRequired: false, fields: new Map() };
}

/**
 * Adds the fields of a mapping.
 * @param isSingle fields hold one value, never a list
 */
export function addMapping(node: FieldNode, properties: JsonValue, isSingle: boolean): void {
  if (!isJsonObject(properties)) return;
  for (const [name, field] of Object.entries(properties)) {
    if (!isJsonObject(field)) continue;
    const { type } = field;
    const child = createNode();
    child.type = typeof type === 'string' ? (MAPPED.get(type) ?? 'unknown') : 'unknown';
    child.list = type === 'nested' ? 'yes' : isSingle ? 'no' : 'maybe';
    // `unknown` is a list, too.
    if (child.type === 'unknown' && field.properties === undefined) child.list = 'no';
    addMapping(child, field.properties ?? {}, isSingle);
    node.fields.set(name, child);
  }
}

/** Adds the fields of a validation specification: they hold exactly, so they replace those of a mapping. */
export function addSpecification(node: FieldNode, fields: JsonObject): void {
  for (const [path, field] of Object.entries(fields)) {
    if (!isJsonObject(field)) continue;
    let at = node;
    for (const name of path.split('/')) {
      const child = at.fields.get(name) ?? createNode();
      at.fields.set(name, child);
      at = child;
    }
    at.type = specifiedType(field);
    at.isRequired = field.mandatory === true;
    at.list = isJsonObject(field.multivalued) && field.multivalued.value === true ? 'yes' : 'no';
    if (field.type === 'anything') at.fields.clear();
  }
}

function specifiedType({ type, typeOptions }: JsonObject): string {
  if (type === 'object') return 'Record<string, unknown>';
  if (type !== 'enum') return SPECIFIED.get(type as string) ?? 'unknown';
  const values = isJsonObject(typeOptions) ? typeOptions.values : undefined;
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(' | ') : 'string';
}
