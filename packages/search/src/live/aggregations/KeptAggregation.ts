import type { AggregationResult } from '../../aggregations/AggregationRun.js';

/** Whether a document enters an aggregation or leaves it. */
export type Sign = 1 | -1;

/** The result of an aggregation, kept up to date from the results over single documents. */
export interface KeptAggregation {
  /**
   * @param one the result over one document
   * @returns false if the change can't be taken over: search again
   */
  apply(one: AggregationResult, sign: Sign): boolean;
  result(): AggregationResult;
}
