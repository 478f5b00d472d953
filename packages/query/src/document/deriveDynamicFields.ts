import { compileDateFormat, type DateFormat, isJsonObject, type JsonObject, type JsonValue } from '@millrace/language';
import { DocumentError, MappingError } from '../errors.js';
import { checkLimits } from '../mapping/checkLimits.js';
import type { CompiledField, CompiledMapping, CompiledObject } from '../mapping/CompiledMapping.js';
import type { FieldMapping, LeafMapping, LeafType, Mapping, ObjectMapping } from '../mapping/Mapping.js';
import { quote } from '../show.js';
import { isInTypeRange, toDecimal } from '../mapping/numberRange.js';
import { hasContent, isAddedByCopy, isPointArray } from './parseDocument.js';

const MAX_NAME_LENGTH = 512;
const MAX_DEPTH = 20;
const SLASHED = 'yyyy/MM/dd HH:mm:ss Z||yyyy/MM/dd Z||yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis';
/** Date formats that strings are tried with, and the format of the new field (undefined: the default of dates). */
const DEFAULT_DETECTION = [
  { text: 'strict_date_optional_time', fieldFormat: undefined },
  { text: SLASHED, fieldFormat: SLASHED },
] as const;

/**
 * The fields that a document would add under `dynamic: true`, typed by their first values (SEARCH-45).
 * @returns the additions, to be merged by `mergeMapping`; undefined if there are none
 * @throws DocumentError for an invalid field name, MappingError if the additions alone exceed a limit
 */
export function deriveDynamicFields(compiled: CompiledMapping, source: JsonObject): Mapping | undefined {
  const deriver = new FieldDeriver(compiled);
  const properties = deriver.deriveFrom(source);
  if (properties.size === 0) return undefined;
  const additions: Mapping = { properties };
  checkLimits(additions);
  return additions;
}

type Properties = Map<string, FieldMapping>;

class FieldDeriver {
  private readonly formats: readonly {
    readonly format: DateFormat;
    readonly fieldFormat: string | undefined;
  }[];
  private readonly root: Properties = new Map();

  constructor(private readonly compiled: CompiledMapping) {
    const given = compiled.mapping.dynamicDateFormats?.map((text) => ({ text, fieldFormat: text }));
    const list = compiled.mapping.dateDetection === false ? [] : (given ?? DEFAULT_DETECTION);
    this.formats = list.map(({ text, fieldFormat }) => ({
      format: compileDateFormat(text, (message) => new MappingError('dynamic_date_formats', message)),
      fieldFormat,
    }));
  }

  deriveFrom(source: JsonObject): Properties {
    this.walk(this.compiled.root, source, this.root, 1);
    return this.root;
  }

  /** Adds an object's missing fields to `added`. */
  private walk(object: CompiledObject, source: JsonObject, added: Properties, depth: number): void {
    for (const [key, value] of Object.entries(source)) this.walkKey(object, key, value, added, depth);
  }

  private walkKey(object: CompiledObject, key: string, value: JsonValue, added: Properties, depth: number): void {
    const child = object.children.get(key);
    if (child !== undefined) return this.walkKnown(child, key, value, added, depth);
    const dot = key.indexOf('.');
    if (dot > 0) {
      const first = object.children.get(key.slice(0, dot));
      if (first?.kind === 'object') {
        return this.walkKnown(first, key.slice(0, dot), { [key.slice(dot + 1)]: value }, added, depth);
      }
    }
    if (object.dynamic !== true || !hasContent(value)) return;
    checkName(key, object.name);
    this.add(added, key, value, depth);
  }

  private walkKnown(
    child: CompiledField | CompiledObject,
    key: string,
    value: JsonValue,
    added: Properties,
    depth: number,
  ): void {
    if (child.kind === 'field') return this.walkCopies(child, value, depth);
    if (!child.isEnabled) return;
    for (const item of flatten(value)) {
      if (!isJsonObject(item)) continue;
      const known = added.get(key);
      const properties: Properties = new Map(known?.kind === 'object' ? known.properties : undefined);
      this.walk(child, item, properties, depth + 1);
      if (properties.size > 0) added.set(key, { kind: 'object', isNested: child.isNested, properties });
    }
  }

  /** Unmapped targets of `copy_to` get the type of the first value copied. */
  private walkCopies(field: CompiledField, value: JsonValue, depth: number): void {
    const names = this.compiled.missingCopyTargets.get(field);
    if (names === undefined || !hasContent(value)) return;
    const first = Array.isArray(value) && !isPointArray(field, value) ? firstContent(value) : value;
    if (isJsonObject(first)) return;
    for (const name of names) {
      if (isAddedByCopy(this.compiled, name)) this.add(this.root, name, first, depth);
    }
  }

  /** Adds a field, or the fields of an object; earlier additions are kept. */
  private add(properties: Properties, key: string, value: JsonValue, depth: number): void {
    if (depth > MAX_DEPTH) throw new MappingError(key, `The mapping is deeper than ${MAX_DEPTH} levels`);
    const dot = key.indexOf('.');
    if (dot > 0) {
      return this.add(properties, key.slice(0, dot), { [key.slice(dot + 1)]: value }, depth);
    }
    for (const item of flatten(value)) {
      const known = properties.get(key);
      if (isJsonObject(item)) {
        if (known?.kind === 'leaf') continue;
        const inner: Properties = new Map(known?.kind === 'object' ? known.properties : undefined);
        for (const [name, sub] of Object.entries(item)) {
          if (!hasContent(sub)) continue;
          checkName(name, key);
          this.add(inner, name, sub, depth + 1);
        }
        const object: ObjectMapping = { kind: 'object', isNested: false, properties: inner };
        properties.set(key, object);
      } else if (known === undefined && item !== null) properties.set(key, this.leafOf(item));
    }
  }

  private leafOf(value: JsonValue): LeafMapping {
    if (typeof value === 'boolean') return leaf('boolean');
    if (typeof value === 'number') return leaf(isLong(value) ? 'long' : 'float');
    const text = typeof value === 'string' ? value : '';
    const number = toDecimal(text);
    if (!Number.isNaN(number)) {
      // A number isn't a date: "2024" would be one.
      if (this.compiled.mapping.numericDetection === true)
        return leaf(/^[+-]?\d+$/.test(text) && isLong(number) ? 'long' : 'float');
    } else {
      for (const { format, fieldFormat } of this.formats) {
        if (format.parse(text) !== undefined)
          return leaf('date', fieldFormat === undefined ? {} : { format: fieldFormat });
      }
    }
    return {
      ...leaf('text'),
      fields: new Map([['keyword', leaf('keyword', { ignore_above: 256 })]]),
    };
  }
}

function isLong(value: number): boolean {
  return Number.isInteger(value) && isInTypeRange('long', value);
}

function leaf(type: LeafType, parameters: JsonObject = {}): LeafMapping {
  return { kind: 'leaf', type, parameters, copyTo: [], fields: new Map() };
}

function flatten(value: JsonValue, into: JsonValue[] = []): readonly JsonValue[] {
  if (!Array.isArray(value)) into.push(value);
  else for (const item of value as readonly JsonValue[]) flatten(item, into);
  return into;
}

function firstContent(value: JsonValue): JsonValue {
  return flatten(value).find((item) => item !== null) ?? null;
}

function checkName(name: string, parent: string): void {
  const path = parent === '' ? name : `${parent}.${name}`;
  if (name.length > MAX_NAME_LENGTH) {
    throw new DocumentError(
      path.slice(0, 100),
      `Field name ${quote(name)} is longer than ${MAX_NAME_LENGTH} characters`,
    );
  }
  if (name.split('.').some((part) => part.trim() === '')) {
    throw new DocumentError(path, `Field name ${quote(name)} is empty or has an empty part`);
  }
}
