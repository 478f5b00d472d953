import { toGroup } from './compileFilter.js';
import { isLeaf, type CompiledLeaf, type CompiledTest } from './CompiledTest.js';
import { ANY, ONCE, REST, SURE, WHOLE } from './HandleTable.js';

interface Residual {
  readonly remainder: number;
  /** For ANY and REST one residual per access condition; for WHOLE and ONCE only the first one. */
  readonly residuals: readonly (CompiledTest | undefined)[];
}

/** The test that remains once an access condition holds. */
export function residualOf(test: CompiledTest, access: readonly CompiledLeaf[]): Residual {
  if (isLeaf(test)) return { remainder: SURE, residuals: [] };
  if (test.kind === 'or') {
    if (test.operand.every(isLeaf)) return { remainder: ONCE, residuals: [test] };
    // A part with several access conditions would be tested for each of them.
    if (access.length > test.operand.length) return { remainder: WHOLE, residuals: [test] };
    return { remainder: ANY, residuals: test.operand.map((part, i) => without(part, access[i])) };
  }
  const [first] = access;
  if (access.length > 1 || first === undefined || !test.operand.includes(first)) {
    return { remainder: WHOLE, residuals: [test] };
  }
  return { remainder: REST, residuals: [without(test, first)] };
}

/** A conjunction without one of its parts; undefined for a leaf. */
function without(test: CompiledTest, leaf: CompiledLeaf | undefined): CompiledTest | undefined {
  if (isLeaf(test)) return undefined;
  // The remaining parts stay ordered by cost.
  const rest = test.operand.filter((each) => each !== leaf);
  return rest.length === 1 ? rest[0] : toGroup('and', rest);
}
