import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';
import type { ComparesValues, Query, QueryBase } from '../tree/Query.js';

/** A query that may compare whole values of a field. */
export type Compared = QueryBase & ComparesValues & { readonly field: string };

/** The field whose terms are the whole values of a field. @throws QueryError if there is none */
export function comparedValues(mapped: CompiledField, { field, path, isIdentity }: Compared): CompiledField {
  const whole = mapped.type === 'text' ? mapped.multiFields.find(isKeyword) : mapped;
  if (whole === undefined) {
    throw invalid(path, `${quote(field)} at ${path} is a text field: whole values need the type keyword`);
  }
  if (isIdentity === true && !keepsValues(whole)) {
    throw invalid(
      path,
      `${quote(whole.name)} at ${path} is no keyword field without normalizer and null_value: it doesn't compare stored values`,
    );
  }
  return whole;
}

/** Checks the queries that compare whole values; fields that aren't mapped are not checked. @throws QueryError */
export function assertComparable(query: Query, { fields }: Pick<CompiledMapping, 'fields'>): void {
  for (const compared of comparedIn(query)) {
    const field = fields.get(compared.field);
    if (field !== undefined) comparedValues(field, compared);
  }
}

function* comparedIn(value: unknown): Iterable<Compared> {
  if (typeof value !== 'object' || value === null) return;
  const { field, isWhole, isIdentity } = value as Partial<Compared>;
  if (field !== undefined && (isWhole ?? isIdentity) === true) yield value as Compared;
  else for (const inner of Object.values(value)) yield* comparedIn(inner);
}

function isKeyword({ type }: CompiledField): boolean {
  return type === 'keyword';
}

/** Whether equal terms are equal values of documents. */
function keepsValues({ type, isLowerCased, nullValue }: CompiledField): boolean {
  return type === 'keyword' && !isLowerCased && nullValue === undefined;
}
