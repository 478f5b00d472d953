import { compileMapping, type CompiledMapping, type Mapping } from '@millrace/query';

const compiled = new WeakMap<Mapping, CompiledMapping>();

/** A mapping compiled for use, once for each mapping object. */
export function compiledMapping(mapping: Mapping): CompiledMapping {
  const known = compiled.get(mapping) ?? compileMapping(mapping);
  compiled.set(mapping, known);
  return known;
}
