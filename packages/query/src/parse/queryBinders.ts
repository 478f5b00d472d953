import type { QueryBinder } from '../bind/QueryBinder.js';
import type { BoundQuery, Query } from '../tree/Query.js';
import { COMPOUND_BINDERS } from './queries/compoundQueries.js';
import { FUNCTION_SCORE_BINDERS } from './queries/functionScoreQuery.js';
import { GEO_BINDERS } from './queries/geoQueries.js';
import { LUCENE_BINDERS } from './queries/luceneQueries.js';
import { NESTED_BINDERS } from './queries/nestedQuery.js';
import { PATTERN_BINDERS } from './queries/patternQueries.js';
import { TERM_BINDERS } from './queries/termQueries.js';
import { TEXT_BINDERS } from './queries/textBinders.js';
import { VIEW_BINDERS } from './queries/viewBinders.js';

/** Functions that bind queries to a mapping, by kind. */
export type Binders<Kind extends Query['kind']> = {
  readonly [K in Kind]: (query: Extract<Query, { kind: K }>, binder: QueryBinder) => BoundQuery;
};

/** A function for every kind of query. */
export const QUERY_BINDERS: Binders<Query['kind']> = {
  ...TERM_BINDERS,
  ...PATTERN_BINDERS,
  ...TEXT_BINDERS,
  ...LUCENE_BINDERS,
  ...COMPOUND_BINDERS,
  ...NESTED_BINDERS,
  ...FUNCTION_SCORE_BINDERS,
  ...GEO_BINDERS,
  ...VIEW_BINDERS,
};
