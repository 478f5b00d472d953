import type { JsonObject, Query } from '@millrace/query';

/** Writes a query of a sort, a highlight or an aggregation; with the path of the nested objects that it asks for. */
export type WriteQuery = (query: Query, nestedPath?: string) => JsonObject;
