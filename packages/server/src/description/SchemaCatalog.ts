import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

const TITLE = /^[A-Z]\w{0,63}$/;
const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs']);
const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains']);

/** With one of these keywords a schema specifies more than the type `object`. */
const OBJECT_KEYWORDS = [...MAPS_OF_SCHEMAS, ...LISTS_OF_SCHEMAS, ...SCHEMAS, 'const', 'enum'];

function isAnyObject(schema: JsonObject): boolean {
  return schema['type'] === 'object' && !OBJECT_KEYWORDS.some((keyword) => keyword in schema);
}

/** Collects the shared schemas of a description: those with a title are moved here and replaced by references. */
export class SchemaCatalog {
  private readonly byTitle = new Map<string, { readonly text: string; readonly moved: JsonObject }>();

  /** Many actions share schemas: the envelope alone occurs in a thousand responses. */
  private readonly placed = new Map<JsonObject, JsonObject>();

  /** Returns the schema with each titled schema in it replaced by a reference. */
  place(schema: JsonObject): JsonObject {
    const known = this.placed.get(schema);
    if (known !== undefined) return known;
    const moved = this.placeInside(schema);
    const { title } = schema;
    const isNamed = typeof title === 'string' && TITLE.test(title);
    const result = isNamed ? this.refer(title, moved) : moved;
    this.placed.set(schema, result);
    return result;
  }

  /** For `components.schemas`. */
  get schemas(): JsonObject {
    const sorted = [...this.byTitle].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([title, { moved }]) => [title, moved]));
  }

  private placeInside(schema: JsonObject): JsonObject {
    const placed = Object.entries(schema).map(([key, value]) => [key, this.placeAt(key, value)]);
    // The default anyway, but without it type generators produce an object that must be empty.
    if (isAnyObject(schema)) placed.push(['additionalProperties', true]);
    return Object.fromEntries(placed) as JsonObject;
  }

  private placeAt(key: string, value: JsonValue): JsonValue {
    const each = (inner: JsonValue) => (isJsonObject(inner) ? this.place(inner) : inner);
    if (SCHEMAS.has(key)) return each(value);
    if (LISTS_OF_SCHEMAS.has(key) && Array.isArray(value)) return value.map(each);
    if (!MAPS_OF_SCHEMAS.has(key) || !isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, each(inner)]));
  }

  /** Two packages may use one title for different schemas: the later one gets a number. */
  private refer(title: string, moved: JsonObject): JsonObject {
    const text = JSON.stringify(moved);
    for (let number = 1; ; number++) {
      const name = number === 1 ? title : `${title}${number}`;
      const known = this.byTitle.get(name);
      if (known === undefined) this.byTitle.set(name, { text, moved });
      if (known === undefined || known.text === text) {
        return { $ref: `#/components/schemas/${name}` };
      }
    }
  }
}
