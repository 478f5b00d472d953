export { parseShape, type PolygonRings, type Shape } from './geo/parseShape.js';
export type * from './tree/Query.js';
export type * from './tree/Aggregation.js';
export type * from './tree/BoundAggregation.js';
export type * from './tree/Sort.js';
export type {
  SearchRequest,
  SourceFilter,
  Highlight,
  HighlightField,
  InnerHits,
  SearchView,
  ViewGrant,
} from './tree/SearchRequest.js';
export { fuzzyEdits, type Fuzziness } from './parse/parseFuzziness.js';
export {
  resolveMinimumShouldMatch,
  type MinimumShouldMatch,
  type MinimumShouldMatchRule,
} from './parse/parseMinimumShouldMatch.js';

export { DocumentError, MappingError, QueryError, type QueryErrorKind, type UnknownName } from './errors.js';
export {
  parseCount,
  parseDeleteByQuery,
  parseQuery,
  parseSearch,
  parseUpdateByQuery,
  type SearchArguments,
} from './request/parseSearch.js';
export { parseScrollSpan } from './parse/parseSpan.js';
export { assertComparable } from './kinds/comparedValues.js';
export { bindQuery, type BoundRoot } from './kinds/bindQuery.js';
export { clausesOf, type Clause } from './explain/clausesOf.js';
export { describeQuery } from './explain/describeQuery.js';
export { followMode, type FollowMode } from './explain/followMode.js';
export { bindTraced, changedNames, type TracedRoot } from './kinds/bindTraced.js';
export { bindSearch, type BoundSearch } from './request/bindSearch.js';
export { whyChanging, whyUndecidable } from './kinds/whyUndecidable.js';
export type { TermsAt } from './kinds/bindText.js';
export { analyzerOf } from './mapping/analyzerOf.js';
export { hasGrams, MAX_GRAM_DIFFERENCE } from './analysis/compileAnalysis.js';
export type { AnalysisSettings } from './analysis/parseAnalysis.js';
export { SourceSelection } from './SourceSelection.js';
export { compileWildcard } from './compileWildcard.js';

export type { Dynamic, FieldMapping, LeafMapping, LeafType, Mapping, ObjectMapping } from './mapping/Mapping.js';
export type { CompiledField, CompiledMapping, CompiledObject } from './mapping/CompiledMapping.js';
export {
  complementOf,
  hiddenPaths,
  intersectionOf,
  selectFields,
  toFieldSet,
  unionOf,
  type FieldRule,
  type FieldSet,
} from './view/FieldSet.js';
export { mentionsNow } from './mentionsNow.js';
export type { ShownFields, ShownGrant } from './kinds/bindView.js';
export { hiddenNameIn } from './view/hiddenNameIn.js';
export { visibleFields } from './view/narrowFields.js';
export { visibleMapping } from './view/visibleMapping.js';
export { METADATA_FIELDS } from './mapping/METADATA_FIELDS.js';
export { parseMapping } from './mapping/parseMapping.js';
export { toMappingBody } from './mapping/toMappingBody.js';
export { mergeMapping } from './mapping/mergeMapping.js';
export { compileMapping } from './mapping/compileMapping.js';
export { resolveFieldPattern } from './mapping/resolveFieldPattern.js';

export type { DocumentSink } from './document/DocumentSink.js';
export { FieldReader } from './document/FieldReader.js';
export { parseDocument } from './document/parseDocument.js';
export { deriveDynamicFields } from './document/deriveDynamicFields.js';
export { NULL_SINK } from './document/NULL_SINK.js';
export { formatIp, parseCidr, parseIp } from './mapping/ip.js';
export { isIntegerType, isNumberType, MAX_LONG, toLong, toTypePrecision } from './mapping/numberRange.js';

export { isShownAt } from './mapping/isShownAt.js';
export { isOneBucket } from './aggregations/AGGREGATION_KINDS.js';
export { dateFormatOf, dateKeyWriter } from './coerce/dateFormatOf.js';
export { coerceIndexed, type CoercedTerm } from './coerce/coerceTerm.js';
export { decimalKey } from './decimalKey.js';
export type { CoercedBound, CoercedRange } from './coerce/coerceRange.js';
export type { CoercedDecay } from './coerce/coerceDecay.js';

export { parseDistance, parsePoint } from './geo/parsePoint.js';

export { MAX_BUCKETS } from './MAX_BUCKETS.js';
export { EVERY_DOCUMENT } from './tree/Query.js';
export { clausesIn } from './kinds/QUERY_KINDS.js';
export type { Clauses } from './kinds/QueryKind.js';
export { searchedFields } from './kinds/searchedFields.js';
export { highlightedFields } from './mapping/highlightedFields.js';
export { describeExcess, type Excess } from './cost/measureWork.js';
export { estimateQueryBytes } from './cost/estimateQueryBytes.js';
