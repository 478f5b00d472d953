import { highlightedFields } from '../mapping/highlightedFields.js';
import type { Highlight, HighlightField } from '../tree/SearchRequest.js';
import type { BoundQuery } from '../tree/Query.js';
import type { Binding } from './Binding.js';
import { bindPart } from './bindQuery.js';

/** Binds the `highlight_query` of each field. Their costs are not counted: they are tried on the hits only. */
export function bindHighlight(
  { fields }: Highlight,
  binding: Binding,
  nestedPath: string | undefined,
): Highlight<BoundQuery> {
  const uncounted = { ...binding, costs: [] };
  const named = binding.isNarrowed === true ? fields.flatMap(namesOf) : fields;
  function namesOf(field: HighlightField): readonly HighlightField[] {
    return highlightedFields(field.field, binding.compiled).map((name) => ({
      ...field,
      field: name,
    }));
  }
  return {
    fields: named.map(({ highlightQuery, ...field }) =>
      highlightQuery === undefined
        ? field
        : { ...field, highlightQuery: bindPart(highlightQuery, uncounted, nestedPath) },
    ),
  };
}
