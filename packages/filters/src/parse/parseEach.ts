import type { Filter } from '../Filter.js';
import type { JsonValue } from '../Json.js';
import { isSteps, type Steps } from '../Steps.js';
import type { ParseContext } from './ParseContext.js';

/** Reads the filter that stands at a place of an operator; −1 where it has one place only. */
export type ParseAt = (
  value: JsonValue,
  around: ParseContext,
  name: string,
  place: number,
) => Filter | Steps<Filter>;

/** Reads a list of filters. @param name of the list, for the position of a fault */
export function* parseEach(
  context: ParseContext,
  list: readonly JsonValue[],
  name: string,
  parseAt: ParseAt,
): Steps<readonly Filter[]> {
  const operands: Filter[] = [];
  for (let i = 0; i < list.length; i++) {
    const operand = parseAt(list[i] as JsonValue, context, name, i);
    operands.push(isSteps(operand) ? yield* operand : operand);
    if (context.limits.read.isDue()) yield;
  }
  return operands;
}
