/*
 * The normal form of a filter (FILTER-40, FILTER-41), which names its room: only conditions are negated, groups are
 * flattened, operands sorted and distinct, constants folded. One pass, linear in the filter except for sorting. Equal
 * filters share a form whatever their order, nesting, duplicates and spelling. Distribution and absorption are not
 * applied, so two such filters get two rooms, and both receive every notification.
 */
import { tooComplex } from '../FilterError.js';
import type { AnyCondition, Filter } from '../Filter.js';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../FilterLimits.js';
import type { NormalForm } from './NormalForm.js';
import { NormalGroupBuilder } from './NormalGroupBuilder.js';
import { toNormalLeaf } from './toNormalLeaf.js';

/**
 * Converts a filter to its normal form.
 * @returns the canonical JSON of the form: the same for equal filters (FILTER-40)
 * @throws FilterError (`filter_too_complex`) for more conditions than the limit
 */
export function normalizeFilter(filter: Filter<AnyCondition>, limits: FilterLimits = DEFAULT_FILTER_LIMITS): string {
  const { key, conditionCount } = normalize(filter, false);
  if (conditionCount <= limits.conditions) return key;
  throw tooComplex(`more than ${limits.conditions} conditions after normalisation`);
}

function normalize(filter: Filter<AnyCondition>, isNegated: boolean): NormalForm {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
      return new NormalGroupBuilder((filter.kind === 'everything') !== isNegated ? 'and' : 'or').build();
    case 'not':
      return normalize(filter.operand, !isNegated);
    case 'and':
    case 'or': {
      const group = new NormalGroupBuilder(kindOf(filter.kind, isNegated));
      addOperands(filter.operands, isNegated, group);
      return group.build();
    }
    default:
      return toNormalLeaf(filter, isNegated);
  }
}

function addOperands(operands: readonly Filter<AnyCondition>[], isNegated: boolean, group: NormalGroupBuilder): void {
  for (const operand of operands) addOperand(operand, isNegated, group);
}

/** Operands of the same kind as the group, and the values of its lists, are added without a separate form. */
function addOperand(filter: Filter<AnyCondition>, isNegated: boolean, group: NormalGroupBuilder): void {
  if (filter.kind === 'not') addOperand(filter.operand, !isNegated, group);
  else if (filter.kind === 'in' && group.unites(isNegated)) {
    group.addValues(filter.field, filter.values);
  } else if ('operands' in filter && kindOf(filter.kind, isNegated) === group.kind) {
    addOperands(filter.operands, isNegated, group);
  } else group.add(normalize(filter, isNegated));
}

/** De Morgan's law. */
function kindOf(kind: 'and' | 'or', isNegated: boolean): 'and' | 'or' {
  return (kind === 'and') === isNegated ? 'or' : 'and';
}
