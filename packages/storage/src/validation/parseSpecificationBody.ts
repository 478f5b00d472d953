import {
  apiErrors,
  isJsonObject,
  storageErrors,
  type CheckedCollection,
  type JsonObject,
  type JsonValue,
} from '@millrace/kernel';
import type { IndexNames } from '../catalog/IndexNames.js';
import { parseSpecification } from './parseSpecification.js';
import type { StoredSpecification } from './SpecificationStore.js';

/** The pairs of a body `{<index>: {<collection>: specification}}`, and all their faults. */
export interface SpecificationBody {
  readonly specifications: readonly (StoredSpecification & CheckedCollection)[];
  readonly faults: readonly string[];
}

/**
 * @throws api.invalid_argument (400) for an empty body and values that are no objects; storage.invalid_name (400),
 *   storage.internal_index (403) for names
 */
export function parseSpecificationBody(
  body: JsonObject,
  internalIndex: string,
  names: IndexNames,
  nowMs: number,
): SpecificationBody {
  const specifications: (StoredSpecification & CheckedCollection)[] = [];
  const indexes = Object.entries(body);
  if (indexes.length === 0) throw refusal('body', body);
  for (const [index, collections] of indexes) {
    if (index === internalIndex) throw storageErrors.internal_index({});
    if (!isJsonObject(collections)) throw refusal(`body.${index}`, collections);
    for (const [collection, validation] of Object.entries(collections)) {
      if (!isJsonObject(validation)) throw refusal(`body.${index}.${collection}`, validation);
      specifications.push({ ...names.toNewCollection(index, collection), validation });
    }
  }
  if (specifications.length === 0) throw refusal('body', body);
  const faults = specifications.flatMap(
    ({ index, collection, validation }) => parseSpecification(validation, `${index}.${collection}`, nowMs).faults,
  );
  return { specifications, faults };
}

function refusal(name: string, value: JsonValue) {
  return apiErrors.invalid_argument({
    name: name.slice(0, 100),
    value: isJsonObject(value) ? 'an empty object' : JSON.stringify(value).slice(0, 60),
    expected: 'an object {<index>: {<collection>: specification}} with at least one specification',
  });
}
