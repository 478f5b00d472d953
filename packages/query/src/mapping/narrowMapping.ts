import type { CompiledField, CompiledMapping, CompiledObject } from './CompiledMapping.js';

/**
 * The same mapping for parsing documents, without the fields that nothing asks for: `parseDocument` passes over them.
 * Fields that copy to one that is asked for are kept, and so are those with multi-fields.
 * @param isUsed by ordinal
 */
export function narrowMapping(
  compiled: CompiledMapping,
  isUsed: (ordinal: number) => boolean,
): CompiledMapping {
  const keepsField = (field: CompiledField): boolean =>
    isUsed(field.ordinal) || [...field.multiFields, ...field.copyTo].some(keepsField);
  const narrow = (object: CompiledObject): CompiledObject => {
    const children = new Map<string, CompiledField | CompiledObject>();
    for (const [name, child] of object.children) {
      if (child.kind === 'field') {
        if (keepsField(child)) children.set(name, child);
        continue;
      }
      const narrowed = narrow(child);
      if (narrowed.children.size > 0) children.set(name, narrowed);
    }
    return { ...object, dynamic: false, children };
  };
  return { ...compiled, root: narrow(compiled.root), missingCopyTargets: new Map() };
}
