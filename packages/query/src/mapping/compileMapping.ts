import {
  compileDateFormat,
  type DateFormat,
  DEFAULT_DATE_FORMAT,
  isJsonScalar,
  type JsonScalar,
} from '@millrace/language';
import { compileAnalysis, type Analyzers } from '../analysis/compileAnalysis.js';
import { MappingError } from '../errors.js';
import type { CompiledField, CompiledMapping, CompiledObject } from './CompiledMapping.js';
import { METADATA_FIELDS } from './METADATA_FIELDS.js';
import type { Dynamic, FieldMapping, LeafMapping, Mapping, ObjectMapping } from './Mapping.js';

/** Name of `standard` for fields that name no analyzer. */
const DEFAULT_ANALYZER: string = 'default';

/**
 * Resolves a mapping for use.
 * @param previous the mapping before an update: existing fields keep their ordinals
 */
export function compileMapping(mapping: Mapping, previous?: CompiledMapping): CompiledMapping {
  return new MappingCompiler(mapping, previous).compile();
}

interface Surroundings {
  readonly prefix: string;
  readonly nestedPath: string | undefined;
  /** Whether the enclosing nested object is included in the root; true outside of any. */
  readonly isInRoot: boolean;
  readonly dynamic: Dynamic;
}

const OUTSIDE_OF_CONTENT: Surroundings = {
  prefix: '',
  nestedPath: undefined,
  isInRoot: true,
  dynamic: false,
};
const PLAIN_LEAF = { kind: 'leaf', parameters: {}, copyTo: [], fields: new Map() } as const;

class MappingCompiler {
  private readonly fields = new Map<string, CompiledField>();
  private readonly objects = new Map<string, CompiledObject>();
  private readonly copies: {
    readonly from: CompiledField;
    readonly targets: CompiledField[];
    readonly names: readonly string[];
  }[] = [];
  private readonly formats = new Map<string, DateFormat>();
  private readonly analyzers: Analyzers;
  private nextOrdinal: number;

  constructor(
    private readonly mapping: Mapping,
    private readonly previous: CompiledMapping | undefined,
  ) {
    this.analyzers = compileAnalysis(mapping.analysis);
    this.nextOrdinal = previous?.fieldsByOrdinal.length ?? 0;
  }

  compile(): CompiledMapping {
    const { mapping } = this;
    const root = this.compileObject({ kind: 'object', isNested: false, properties: mapping.properties }, '', {
      prefix: '',
      nestedPath: undefined,
      isInRoot: true,
      dynamic: mapping.dynamic ?? true,
    });
    const missingCopyTargets = this.linkCopies();
    for (const [name, type] of METADATA_FIELDS) {
      this.compileLeaf(name, { ...PLAIN_LEAF, type }, OUTSIDE_OF_CONTENT, []);
    }
    const fieldsByOrdinal: (CompiledField | undefined)[] = new Array<undefined>(this.nextOrdinal).fill(undefined);
    for (const field of this.fields.values()) fieldsByOrdinal[field.ordinal] = field;
    return {
      mapping,
      analyzers: this.analyzers,
      root,
      fields: this.fields,
      objects: this.objects,
      fieldsByOrdinal,
      missingCopyTargets,
    };
  }

  private compileObject(object: ObjectMapping, name: string, around: Surroundings): CompiledObject {
    const dynamic = object.dynamic ?? around.dynamic;
    const inner: Surroundings = {
      prefix: name === '' ? '' : `${name}.`,
      nestedPath: object.isNested ? name : around.nestedPath,
      isInRoot: object.isNested ? object.includeInRoot === true : around.isInRoot,
      dynamic,
    };
    const includesInParent = object.includeInParent ?? false;
    const children = new Map<string, CompiledField | CompiledObject>();
    const compiled: CompiledObject = {
      kind: 'object',
      name,
      isNested: object.isNested,
      isEnabled: object.enabled ?? true,
      dynamic,
      includeInParent: includesInParent,
      // As Elasticsearch, which ignores it if the enclosing object is the root or is included in it.
      includeInRoot: (object.includeInRoot ?? false) && !(includesInParent && around.isInRoot),
      nestedPath: around.nestedPath,
      children,
    };
    if (name !== '') this.objects.set(name, compiled);
    for (const [key, field] of object.properties) children.set(key, this.compileField(key, field, inner));
    return compiled;
  }

  private compileField(key: string, field: FieldMapping, around: Surroundings): CompiledField | CompiledObject {
    const name = `${around.prefix}${key}`;
    if (field.kind === 'object') return this.compileObject(field, name, around);
    const multiFields: CompiledField[] = [];
    const compiled = this.compileLeaf(name, field, around, multiFields);
    for (const [sub, leaf] of field.fields) {
      multiFields.push(this.compileLeaf(`${name}.${sub}`, leaf, around, []));
    }
    return compiled;
  }

  private compileLeaf(
    name: string,
    leaf: LeafMapping,
    around: Surroundings,
    multiFields: readonly CompiledField[],
  ): CompiledField {
    const { type, parameters } = leaf;
    const read = <Value extends JsonScalar>(key: string, byDefault: Value): Value => {
      const value = Object.hasOwn(parameters, key) ? parameters[key] : undefined;
      return typeof value === typeof byDefault ? (value as Value) : byDefault;
    };
    const analyzer = read<string>('analyzer', 'standard');
    // As Elasticsearch, where a field without an explicit analyzer belongs to another group in `cross_fields`.
    const own = Object.hasOwn(parameters, 'analyzer') ? analyzer : DEFAULT_ANALYZER;
    const searchAnalyzer = read('search_analyzer', own);
    const nullValue = Object.hasOwn(parameters, 'null_value') ? parameters['null_value'] : undefined;
    const targets: CompiledField[] = [];
    const field: CompiledField = {
      kind: 'field',
      ordinal: this.previous?.fields.get(name)?.ordinal ?? this.nextOrdinal++,
      name,
      type,
      isIndexed: type !== 'binary' && read<boolean>('index', true),
      isStored: read('store', false),
      hasDocValues: type === 'text' ? read<boolean>('fielddata', false) : type !== 'binary' && read('doc_values', true),
      nestedPath: around.nestedPath,
      nullValue: isJsonScalar(nullValue) ? nullValue : undefined,
      ignoreMalformed: read<boolean>('ignore_malformed', false),
      coerce: read<boolean>('coerce', true),
      ignoreAbove: read('ignore_above', Number.POSITIVE_INFINITY),
      scalingFactor: read('scaling_factor', 1),
      isLowerCased: read<string>('normalizer', '') === 'lowercase',
      dateFormat: this.formatOf(read<string>('format', DEFAULT_DATE_FORMAT)),
      analyzer,
      searchAnalyzer,
      searchQuoteAnalyzer: read('search_quote_analyzer', searchAnalyzer),
      analyzers: this.analyzers,
      hasNorms: read('norms', type === 'text'),
      hasFrequencies: type === 'text' && read<string>('index_options', 'positions') !== 'docs',
      hasPositions: type === 'text' && !/^(docs|freqs)$/.test(read('index_options', 'positions')),
      positionIncrementGap: read('position_increment_gap', 100),
      ignoreZValue: read<boolean>('ignore_z_value', true),
      multiFields,
      copyTo: targets,
    };
    this.fields.set(name, field);
    if (leaf.copyTo.length > 0) this.copies.push({ from: field, targets, names: leaf.copyTo });
    return field;
  }

  private formatOf(text: string): DateFormat {
    let format = this.formats.get(text);
    if (format === undefined) {
      format = compileDateFormat(text, (message) => new MappingError('', message));
      this.formats.set(text, format);
    }
    return format;
  }

  /** Targets can be resolved only when all fields are compiled; unmapped ones are returned. */
  private linkCopies(): ReadonlyMap<CompiledField, readonly string[]> {
    const missing = new Map<CompiledField, string[]>();
    for (const { from, targets, names } of this.copies) {
      for (const name of names) {
        const target = this.fields.get(name);
        if (target !== undefined) targets.push(target);
        else missing.set(from, [...(missing.get(from) ?? []), name]);
      }
    }
    return missing;
  }
}
