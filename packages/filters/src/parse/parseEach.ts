import type { AnyCondition, Filter } from '../Filter.js';
import type { JsonValue } from '../Json.js';
import type { ParseContext } from './ParseContext.js';

/** Reads the filter at a place of an operator; place −1: the operator has one place only. */
export type ParseAt = (
  value: JsonValue,
  around: ParseContext,
  name: string,
  place: number,
) => Filter<AnyCondition>;

/** Reads a list of filters. @param name of the list, for the position of a fault */
export function parseEach(
  context: ParseContext,
  list: readonly JsonValue[],
  name: string,
  parseAt: ParseAt,
): readonly Filter<AnyCondition>[] {
  return list.map((each, place) => parseAt(each, context, name, place));
}
