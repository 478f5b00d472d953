import { own, type JsonObject } from '@millrace/language';
import type { CompiledField, CompiledMapping, CompiledObject } from '../mapping/CompiledMapping.js';
import { METADATA_FIELDS } from '../mapping/METADATA_FIELDS.js';
import type { DocumentSink } from './DocumentSink.js';
import { parseDocument, walkField } from './parseDocument.js';

interface RootField {
  readonly field: CompiledField;
  readonly name: string;
  /** Every object has a property of this name. */
  readonly isInherited: boolean;
}

/**
 * Reads the values of some fields from documents, as `parseDocument` reports them, and at the cost of these fields only.
 * Fields that copy to one of them and those with multi-fields may be reported too.
 */
export class FieldReader {
  /** Those that aren't within an object. */
  private readonly fields: readonly RootField[];
  /** Without these; undefined: no objects have to be read. */
  private readonly objects: CompiledMapping | undefined;

  /** Whether a metadata field is among them. The caller reads these. */
  readonly hasMetadata: boolean;

  /** @param isUsed by ordinal */
  constructor(
    private readonly compiled: CompiledMapping,
    isUsed: (ordinal: number) => boolean,
  ) {
    const { root, fields } = compiled;
    this.hasMetadata = [...METADATA_FIELDS.keys()].some((name) => {
      return isUsed((fields.get(name) as CompiledField).ordinal);
    });
    const children = [...narrow(root, isUsed).children];
    this.fields = children.flatMap(([, child]) => (child.kind === 'field' ? [toRootField(child)] : []));
    const objects = new Map(children.filter(([, { kind }]) => kind === 'object'));
    if (objects.size === 0) return;
    const narrowed = { ...root, dynamic: false, children: objects };
    this.objects = { ...compiled, root: narrowed, missingCopyTargets: new Map() };
  }

  /** @throws DocumentError for a value that doesn't fit its field */
  read(source: JsonObject, sink: DocumentSink): void {
    const { compiled, fields, objects } = this;
    for (let i = 0; i < fields.length; i++) {
      const { field, name, isInherited } = fields[i] as RootField;
      const value = isInherited ? own(source, name) : source[name];
      if (value !== undefined) walkField(compiled, field, value, sink);
    }
    if (objects !== undefined) parseDocument(objects, source, sink);
  }
}

function toRootField(field: CompiledField): RootField {
  const { name } = field;
  return { field, name, isInherited: name in Object.prototype };
}

function narrow(object: CompiledObject, isUsed: (ordinal: number) => boolean): CompiledObject {
  const keepsField = ({ ordinal, multiFields, copyTo }: CompiledField): boolean =>
    isUsed(ordinal) || [...multiFields, ...copyTo].some(keepsField);
  const children = new Map<string, CompiledField | CompiledObject>();
  for (const [name, child] of object.children) {
    if (child.kind === 'field') {
      if (keepsField(child)) children.set(name, child);
      continue;
    }
    const narrowed = narrow(child, isUsed);
    if (narrowed.children.size > 0) children.set(name, narrowed);
  }
  return { ...object, dynamic: false, children };
}
