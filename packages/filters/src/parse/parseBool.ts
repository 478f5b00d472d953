import { isJsonObject, type JsonValue } from '@millrace/language';
import type { AnyCondition, Filter } from '../Filter.js';
import { show } from '../show.js';
import { assertKeys } from './parseConditions.js';
import { refusal, type ParseContext } from './ParseContext.js';
import { parseEach, type ParseAt } from './parseEach.js';
import { readObject } from './readField.js';

type AnyFilter = Filter<AnyCondition>;

const CONTRIBUTIONS: ReadonlyMap<string, (operands: readonly AnyFilter[]) => AnyFilter> = new Map([
  ['must', (operands): AnyFilter => ({ kind: 'and', operands })],
  ['filter', (operands): AnyFilter => ({ kind: 'and', operands })],
  ['must_not', (operands): AnyFilter => ({ kind: 'not', operand: { kind: 'or', operands } })],
  ['should', (operands): AnyFilter => ({ kind: 'or', operands })],
  ['should_not', (operands): AnyFilter => ({ kind: 'not', operand: { kind: 'and', operands } })],
]);

/** The conjunction of its keys (FILTER-30); `should` counts also in combination with `must`. */
export function parseBool(context: ParseContext, argument: JsonValue, parseAt: ParseAt): AnyFilter {
  const known = [...CONTRIBUTIONS.keys()];
  const object = readObject(context, argument, `of ${known.join(', ')}`);
  assertKeys(context, object, known);
  const entries = Object.entries(object);
  if (entries.length === 0) throw refusal(context, `expected one of ${known.join(', ')}`);
  const operands: AnyFilter[] = [];
  for (const [key, value] of entries) {
    const contribute = CONTRIBUTIONS.get(key);
    if (contribute !== undefined) {
      operands.push(contribute(parseOperands(context, key, value, parseAt)));
    }
  }
  return { kind: 'and', operands };
}

function parseOperands(context: ParseContext, key: string, value: JsonValue, parseAt: ParseAt): readonly AnyFilter[] {
  const given = isJsonObject(value) ? [value] : value;
  if (!Array.isArray(given) || given.length === 0) {
    throw refusal(context, `"${key}" must be a list of at least one filter, got ${show(value)}`);
  }
  return parseEach(context, given as readonly JsonValue[], `bool.${key}`, parseAt);
}
