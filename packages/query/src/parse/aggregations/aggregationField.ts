import { present } from '../../present.js';
import type { AggregationBase, FieldAggregationBase } from '../../tree/Aggregation.js';
import { checkFieldName } from '../checkFieldName.js';
import type { Options } from '../Options.js';

/** `field` (required) and `missing`. */
export function readField(options: Options, base: AggregationBase): FieldAggregationBase {
  // With a script no field is needed: report the script, not the missing field.
  if (!options.has('field') && options.has('script')) options.end();
  const field = options.text('field') ?? options.fail('field', 'a field name');
  return {
    ...base,
    field: checkFieldName(field, options.path),
    ...present({ missing: options.scalar('missing') }),
  };
}
