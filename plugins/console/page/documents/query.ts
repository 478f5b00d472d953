import type { Fields } from '../connection.js';
import { isFields, isNumeric, type Column } from './columns.js';

/** One condition on a field. */
export interface Condition {
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
}

/** The operators of conditions. */
export type Operator = 'is' | 'not' | 'has' | 'begins' | 'min' | 'max' | 'within' | 'exists' | 'absent';

const NAMES: Readonly<Record<Operator, string>> = {
  is: '=',
  not: '≠',
  has: 'contains',
  begins: 'begins with',
  min: '≥',
  max: '≤',
  within: 'in the box',
  exists: 'has a value',
  absent: 'has no value',
};

/** The operators that fit a field, with their names. */
export function operatorsOf(column: Column | undefined): readonly (readonly [Operator, string])[] {
  const type = column?.type ?? 'keyword';
  const some: readonly Operator[] =
    type === 'text'
      ? ['has', 'exists', 'absent']
      : isNumeric(type) || type === 'date'
        ? ['is', 'not', 'min', 'max', 'exists', 'absent']
        : type === 'boolean'
          ? ['is', 'exists', 'absent']
          : type === 'keyword'
            ? ['is', 'not', 'begins', 'exists', 'absent']
            : type === 'geo_point'
              ? ['within', 'exists', 'absent']
              : ['exists', 'absent'];
  return some.map((operator) => [operator, NAMES[operator]] as const);
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'exists' && operator !== 'absent';
}

/** A condition in words: `bikes ≥ 5`. */
export function toWords({ field, operator, value }: Condition): string {
  return `${field} ${NAMES[operator]}${needsValue(operator) ? ` ${value}` : ''}`;
}

/** The query of words in any field: each word has to be there. */
export function queryOfWords(words: string): Fields | undefined {
  const query = words.trim();
  return query === '' ? undefined : { simple_query_string: { query, default_operator: 'and', lenient: true } };
}

/** The query of conditions that all have to hold. */
export function queryOfConditions(conditions: readonly Condition[], columns: readonly Column[]): Fields | undefined {
  if (conditions.length === 0) return undefined;
  const filter = conditions.map((condition) =>
    toClause(condition, columns.find(({ name }) => name === condition.field)?.type ?? 'keyword'),
  );
  return { bool: { filter } };
}

function toClause({ field, operator, value: text }: Condition, type: string): Fields {
  const value = isNumeric(type) ? Number(text) : type === 'boolean' ? text === 'true' : text;
  switch (operator) {
    case 'is':
      return type === 'date' ? { range: { [field]: { gte: value, lte: value } } } : { term: { [field]: value } };
    case 'not':
      return { bool: { must_not: { term: { [field]: value } } } };
    case 'has':
      return { match: { [field]: { query: text, operator: 'and' } } };
    case 'begins':
      return { prefix: { [field]: text } };
    case 'min':
      return { range: { [field]: { gte: value } } };
    case 'max':
      return { range: { [field]: { lte: value } } };
    case 'within': {
      const [top, left, bottom, right] = text
        .split(',')
        .map((side) => (Number.isNaN(Number(side)) ? side : Number(side)));
      return { geo_bounding_box: { [field]: { top, left, bottom, right } } };
    }
    case 'exists':
      return { exists: { field } };
    case 'absent':
      return { bool: { must_not: { exists: { field } } } };
  }
}

/** The query of all documents that a search finds, with everything that narrows it; undefined: every document. */
export function queryOfSearch(search: Fields): Fields | undefined {
  const [query, filter, postFilter] = ['query', 'filter', 'post_filter'].map((key) => {
    const part = search[key];
    return isFields(part) && Object.keys(part).length > 0 ? part : undefined;
  });
  const minScore = search['min_score'];
  const found =
    filter === undefined
      ? query
      : query === undefined
        ? { constant_score: { filter } }
        : { bool: { must: [query], filter: [filter] } };
  const scored = minScore === undefined ? found : { function_score: { query: found, min_score: minScore } };
  return postFilter === undefined
    ? scored
    : { bool: { must: scored === undefined ? [] : [scored], filter: [postFilter] } };
}

/** Conditions of the address; none if it is malformed. */
export function readConditions(text: string | undefined): readonly Condition[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list)
      ? list.flatMap((item: unknown) =>
          Array.isArray(item) && item.every((part) => typeof part === 'string') && (item[1] as string) in NAMES
            ? [{ field: item[0] as string, operator: item[1] as Operator, value: item[2] ?? '' }]
            : [],
        )
      : [];
  } catch {
    return [];
  }
}

/** Conditions for the address. */
export function writeConditions(conditions: readonly Condition[]): string | undefined {
  return conditions.length === 0
    ? undefined
    : JSON.stringify(conditions.map(({ field, operator, value }) => [field, operator, value]));
}
