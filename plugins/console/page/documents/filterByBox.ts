import { toText } from '../kit/JsonField.jsx';
import type { Fields } from '../connection.js';
import { isFields } from './columns.js';
import type { Box } from './MapView.js';
import { readConditions, writeConditions } from './query.js';
import type { Depth } from './QueryBar.jsx';

/**
 * The query with the documents of a box alone, in the depth that can say so; an earlier box of the field is replaced.
 * @param query of the address
 * @param asked the present search
 * @returns changes of the address
 */
export function filterByBox(
  {
    depth,
    query,
    asked,
  }: { readonly depth: Depth; readonly query: Readonly<Record<string, string>>; readonly asked: Fields },
  field: string,
  box: Box,
): Readonly<Record<string, string | undefined>> {
  const [top, left, bottom, right] = [box.top, box.left, box.bottom, box.right].map((side) => Number(side.toFixed(5)));
  if (depth === 'filters' || (depth === 'words' && asked['query'] === undefined)) {
    const conditions = depth === 'filters' ? readConditions(query['f']) : [];
    const others = conditions.filter((each) => each.field !== field || each.operator !== 'within');
    const condition = { field, operator: 'within', value: [top, left, bottom, right].join(', ') } as const;
    return { depth: 'filters', f: writeConditions([...others, condition]), page: undefined };
  }
  const clause = { geo_bounding_box: { [field]: { top, left, bottom, right } } };
  return { depth: 'json', json: toText({ ...asked, query: within(asked['query'], field, clause) }), page: undefined };
}

function within(query: unknown, field: string, clause: Fields): Fields {
  const bool = isFields(query) ? query['bool'] : undefined;
  const filter = isFields(bool) ? bool['filter'] : undefined;
  if (isFields(bool) && Array.isArray(filter)) {
    const others = (filter as readonly unknown[]).filter((each) => !isBoxOf(each, field));
    return { bool: { ...bool, filter: [...others, clause] } };
  }
  return { bool: { ...(query === undefined ? {} : { must: [query] }), filter: [clause] } };
}

function isBoxOf(query: unknown, field: string): boolean {
  const box = isFields(query) ? query['geo_bounding_box'] : undefined;
  return isFields(box) && field in box;
}
