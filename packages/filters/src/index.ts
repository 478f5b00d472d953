export type { AnyCondition, Bound, Condition, Filter, Reference, ReferenceCondition } from './Filter.js';
export { FilterError, type FilterErrorCode } from './FilterError.js';
export { DEFAULT_FILTER_LIMITS, type FilterLimits } from './FilterLimits.js';
export { parseFilter, parseFilterWithReferences } from './parse/parseFilter.js';
export { normalizeFilter } from './normalize/normalizeFilter.js';
export { computeRoomId } from './normalize/computeRoomId.js';
export { evaluateFilter } from './evaluateFilter.js';
export { readFieldValue } from './readFieldValue.js';

export { isInBox, isInPolygon, type Box } from './isInArea.js';
export { parseDistance } from './geo/parseDistance.js';
export { parsePoint } from './geo/parsePoint.js';

export { FilterEngine, type EngineSize, type Registration } from './engine/FilterEngine.js';
export { ValueFilters, type AddedFilter, type FoundFilters } from './engine/ValueFilters.js';
export type { MatchChange } from './engine/MatchSink.js';
