import type { Aggregation } from './Aggregation.js';

/** The nested field whose objects the children of an aggregation aggregate; undefined: documents. */
export function pathInside(aggregation: Aggregation, nestedPath: string | undefined): string | undefined {
  switch (aggregation.kind) {
    case 'nested':
    case 'reverse_nested':
      return aggregation.nestedPath;
    case 'global':
      return undefined;
    default:
      return nestedPath;
  }
}
