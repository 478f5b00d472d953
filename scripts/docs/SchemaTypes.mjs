const TITLE = /^[A-Z]\w{0,63}$/;
const SCALARS = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/**
 * Writes JSON Schemas (2020-12, as far as actions use them) as TypeScript types. Schemas with a title become named types,
 * each written once; a schema that is written differently for callers and for results gets a second name ending in `Input`.
 */
export class SchemaTypes {
  #named = new Map();
  #usual;

  /** @param usual members by title that are written as always there, although a caller can ask for results without them */
  constructor(usual = {}) {
    this.#usual = usual;
  }

  /** The type of what a caller sends. */
  ofInput(schema) {
    return this.#type(schema, true);
  }

  /** The type of what the server returns. */
  ofResult(schema) {
    return this.#type(schema, false);
  }

  /** Declarations of the named types, in order of their names. */
  get declarations() {
    return [...this.#named]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { type, description }]) => `${comment(description)}export type ${name} = ${type};\n`);
  }

  #type(schema, isInput) {
    const { title, description } = schema;
    if (typeof title !== 'string' || !TITLE.test(title)) return this.#bare(schema, isInput);
    const usual = this.#usual[title] ?? [];
    const shown = usual.length === 0 ? schema : { ...schema, required: [...schema.required, ...usual] };
    const type = this.#bare(shown, isInput);
    return this.#refer(title, { type, description: description ?? '' }, isInput);
  }

  #refer(title, made, isInput) {
    const candidates = isInput
      ? [title, `${title}Input`]
      : [title, ...Array.from({ length: 9 }, (_, number) => `${title}${number + 2}`)];
    for (const name of candidates) {
      const known = this.#named.get(name);
      if (known === undefined) this.#named.set(name, made);
      if (known === undefined || known.type === made.type) return name;
    }
    throw new Error(`too many different schemas with the title ${title}`);
  }

  #bare(schema, isInput) {
    const inner = (each) => this.#type(each, isInput);
    const alternatives = alternativesOf(schema);
    if (alternatives.length > 1) return union(alternatives.map(inner));
    if (Array.isArray(schema.allOf)) return schema.allOf.map((each) => inside(inner(each))).join(' & ');
    if ('const' in schema) return JSON.stringify(schema.const);
    if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
    if (schema.type === 'array') return this.#list(schema, isInput);
    if (schema.type === 'object' || schema.properties !== undefined) return this.#object(schema, isInput);
    return SCALARS[schema.type] ?? (isInput ? 'unknown' : 'JsonValue');
  }

  #list({ items, prefixItems }, isInput) {
    if (Array.isArray(prefixItems))
      return `readonly [${prefixItems.map((each) => this.#type(each, isInput)).join(', ')}]`;
    const item = items === undefined ? (isInput ? 'unknown' : 'JsonValue') : this.#type(items, isInput);
    return `readonly ${inside(item)}[]`;
  }

  #object({ properties, required = [], additionalProperties }, isInput) {
    const free = isInput ? 'FreeContent' : 'JsonObject';
    const members = Object.entries(properties ?? {}).map(([name, schema]) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      const mark = required.includes(name) ? '' : '?';
      return `${comment(schema.description)}readonly ${key}${mark}: ${this.#type(schema, isInput)};`;
    });
    if (typeof additionalProperties === 'object') {
      const others = Object.values(properties ?? {}).map((schema) => this.#type(schema, isInput));
      const values = union([
        this.#type(additionalProperties, isInput),
        ...others,
        ...(others.length > 0 ? ['undefined'] : []),
      ]);
      return `{ ${[...members, `readonly [key: string]: ${values};`].join('\n')} }`;
    }
    if (properties === undefined) return free;
    // An object without members may still be filled: its schema is open.
    if (members.length === 0) return additionalProperties === true ? free : 'Record<never, never>';
    const known = `{\n${members.join('\n')}\n}`;
    return additionalProperties === true ? `${known} & ${free}` : known;
  }
}

/** What a schema admits, alternatives within alternatives included. */
function alternativesOf(schema) {
  const listed = schema.anyOf ?? schema.oneOf;
  const isNamed = (each) => typeof each.title === 'string' && TITLE.test(each.title);
  if (Array.isArray(listed)) return listed.flatMap((each) => (isNamed(each) ? [each] : alternativesOf(each)));
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, title: undefined, type }));
  return [schema];
}

/** A docstring, or nothing. */
export function comment(text) {
  if (typeof text !== 'string' || text.trim() === '') return '';
  return `/** ${text.trim().replaceAll('*/', '*\\/')} */\n`;
}

function union(types) {
  const distinct = [...new Set(types)];
  return distinct.length === 1 ? distinct[0] : `(${distinct.join(' | ')})`;
}

/** In brackets where an operator would bind otherwise. */
function inside(type) {
  return /^[\w$]+$|^\{[^{}]*\}$|^\(.*\)$/.test(type) ? type : `(${type})`;
}
