import {
  CLOCK,
  INTERNAL_INDEX,
  SECURITY,
  validationErrors,
  apiErrors,
  isJsonObject,
  storageErrors,
  type Clock,
  type CollectionName,
  type JsonObject,
  type Request,
  type Security,
  type CheckedCollection,
  type JsonValue,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { IndexNames } from '../IndexNames.js';
import { SpecificationStore, type FoundSpecifications, type StoredSpecification } from './SpecificationStore.js';
import { parseSpecification } from './parseSpecification.js';

/** The result of `collection.validateSpecifications`. */
interface SpecificationVerdict {
  readonly valid: boolean;
  /** All faults of all pairs. */
  readonly details: readonly string[];
  readonly description: string;
}

/** Specifications as resources (VALID-42). */
@scoped(Scope.ContainerScoped)
export class SpecificationCatalog {
  constructor(
    @inject(SpecificationStore) private readonly store: SpecificationStore,
    @inject(INTERNAL_INDEX) private readonly internalIndex: string,
    @inject(IndexNames) private readonly names: IndexNames,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(SECURITY) private readonly security: Security,
  ) {}

  /** Validates without storing. @throws api.invalid_argument, storage.invalid_name (400) */
  decide(body: JsonObject): SpecificationVerdict {
    const { faults } = this.parse(body);
    return {
      valid: faults.length === 0,
      details: faults,
      description: describeFaults(faults),
    };
  }

  /**
   * Stores the whole body, or nothing. Since the request names no collection, the user also needs the permission for
   * each collection in the body.
   * @throws validation.invalid_specification (400), as `decide`, what `Security.authorizeTarget` throws
   */
  async update(body: JsonObject, request: Request): Promise<void> {
    const { specifications, faults } = this.parse(body);
    if (faults.length > 0) {
      const message = { description: describeFaults(faults), details: faults, valid: false };
      const extras = { members: { message, _source: body }, result: body };
      throw validationErrors.invalid_specification({ count: faults.length }, extras);
    }
    for (const { index, collection } of specifications) {
      const action = 'updateSpecifications';
      const target = { controller: 'collection', action, index, collection, id: null, body: null };
      await this.security.authorizeTarget(request, target);
    }
    await this.store.set(specifications);
  }

  /** @throws validation.no_specification (404) */
  get(name: CollectionName): StoredSpecification {
    const found = this.store.get(name);
    if (found !== undefined) return found;
    throw validationErrors.no_specification({}, { members: { _source: { body: {} } } });
  }

  async delete(name: CollectionName): Promise<void> {
    await this.store.delete(name);
  }

  /** Searches the fields `index` and `collection`. @throws query.* (400) */
  search(
    body: JsonObject,
    args: { readonly from?: number | undefined; readonly size?: number | undefined },
    signal?: AbortSignal,
  ): Promise<FoundSpecifications> {
    return this.store.search(body, args, signal);
  }

  private parse(body: JsonObject): SpecificationBody {
    return parseSpecificationBody(body, this.internalIndex, this.names, this.clock.nowMs());
  }
}

/** The pairs of a body `{<index>: {<collection>: specification}}`, and all their faults. */
interface SpecificationBody {
  readonly specifications: readonly (StoredSpecification & CheckedCollection)[];
  readonly faults: readonly string[];
}

/**
 * @throws api.invalid_argument (400) for an empty body and values that are no objects; storage.invalid_name (400),
 *   storage.internal_index (403) for names
 */
function parseSpecificationBody(
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

/** The `description` that accompanies the `details` of an invalid specification; empty if there are no faults. */
function describeFaults(faults: readonly string[]): string {
  if (faults.length === 0) return '';
  return faults.length === 1
    ? 'The specifications are badly formed: 1 fault, see details.'
    : `The specifications are badly formed: ${faults.length} faults, see details.`;
}
