import type { BoundQuery } from '@millrace/query';
import type { SearchScope } from '../SearchScope.js';
import type { QueryNode } from './QueryNode.js';

/** Compiles a query of any kind. */
export type Compile = (query: BoundQuery, scope: SearchScope) => QueryNode;

/** Functions that compile queries for the index of a scope, by kind; `compile` compiles the queries inside. */
export type Compilers<Kind extends BoundQuery['kind']> = {
  readonly [K in Kind]: (query: Extract<BoundQuery, { kind: K }>, scope: SearchScope, compile: Compile) => QueryNode;
};
