/* The parsed and bound forms of queries, each next to the definition of its kind. */
export type * from './termKinds.js';
export type * from './patternKinds.js';
export type * from './textOptions.js';
export type * from './matchKinds.js';
export type * from './phraseKinds.js';
export type * from './multiMatchKinds.js';
export type * from './queryStringKind.js';
export type * from './compoundKinds.js';
export type * from './scoreKinds.js';
export type * from './nestedKind.js';
export type * from './geoKinds.js';
export type * from './visibleKind.js';
