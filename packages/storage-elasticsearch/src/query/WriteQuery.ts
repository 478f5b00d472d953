import type { JsonObject } from '@millrace/language';
import type { Query } from '@millrace/query';

/**
 * Writes the query of a sort, a highlight or an aggregation. `nestedPath` is the path of the nested objects it
 * searches.
 */
export type WriteQuery = (query: Query, nestedPath?: string) => JsonObject;
