import { own } from '@millrace/language';
import { compileAnalysis, type Analyzers } from '../analysis/compileAnalysis.js';
import { MappingError } from '../errors.js';
import { quote } from '../show.js';
import type { FieldMapping, LeafMapping, Mapping } from './Mapping.js';

const PARAMETERS = ['analyzer', 'search_analyzer', 'search_quote_analyzer'] as const;

/**
 * Checks that the analyzer definitions are usable and that the analyzers named by fields exist.
 * @throws MappingError
 */
export function checkAnalyzers(mapping: Mapping): void {
  checkAll(mapping.properties, 'properties', compileAnalysis(mapping.analysis));
}

function checkAll(fields: ReadonlyMap<string, FieldMapping>, path: string, analyzers: Analyzers): void {
  for (const [name, field] of fields) {
    const place = `${path}.${name}`;
    if (field.kind === 'object') checkAll(field.properties, `${place}.properties`, analyzers);
    else {
      checkLeaf(field, place, analyzers);
      checkAll(field.fields, `${place}.fields`, analyzers);
    }
  }
}

function checkLeaf({ type, parameters }: LeafMapping, path: string, analyzers: Analyzers): void {
  if (type !== 'text') return;
  for (const parameter of PARAMETERS) {
    const name = own(parameters, parameter);
    if (typeof name !== 'string' || (name !== 'default' && analyzers.has(name))) continue;
    throw new MappingError(
      `${path}.${parameter}`,
      `${quote(parameter)} at ${path} must be one of ${analyzerList(analyzers)}, not ${quote(name)}`,
    );
  }
}

/** The names, for a message. */
export function analyzerList(analyzers: Analyzers): string {
  return [...analyzers.keys()].filter((name) => name !== 'default').join(', ');
}
