import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { NestedSort, Sort } from '../tree/Sort.js';
import { addQueryWork } from './addQueryWork.js';
import type { WorkTally } from './WorkTally.js';

const ORDINARY_POINTS = 10;

/** Adds the work of the queries within a sort, and of its points, each of which is measured from every document. */
export function addSortWork(
  sort: readonly Sort[],
  compiled: CompiledMapping,
  tally: WorkTally,
): void {
  for (const each of sort) {
    if (each.kind === 'geoDistance') {
      tally.add('lookups', each.points.length / ORDINARY_POINTS, each.path);
    }
    if (each.kind !== 'geoDistance' && each.kind !== 'field') continue;
    for (let nested: NestedSort | undefined = each.nested; nested; nested = nested.nested) {
      const { filter, path } = nested;
      if (filter !== undefined)
        addQueryWork(filter, { compiled, hitCount: 0, nestedPath: path }, tally);
    }
  }
}
