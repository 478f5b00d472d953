import type { JsonValue } from '@millrace/language';
import type { AnyCondition, Filter } from '../Filter.js';
import type { ParseContext } from './ParseContext.js';

/** Parses the filter at an index of an operator; index −1: the operator takes one filter only. */
export type ParseAt = (value: JsonValue, around: ParseContext, name: string, place: number) => Filter<AnyCondition>;

/** Parses a list of filters. @param name of the list, for the position of an error */
export function parseEach(
  context: ParseContext,
  list: readonly JsonValue[],
  name: string,
  parseAt: ParseAt,
): readonly Filter<AnyCondition>[] {
  return list.map((each, place) => parseAt(each, context, name, place));
}
