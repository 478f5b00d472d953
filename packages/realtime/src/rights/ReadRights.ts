import { parseFilter, type FilterLimits } from '@millrace/filters';
import {
  andThen,
  SECURITY,
  securityErrors,
  STORAGE_ENGINE,
  type CollectionName,
  type DocumentRight,
  type JsonObject,
  type MaybePromise,
  type Request,
  type Security,
  type StorageEngine,
} from '@millrace/kernel';
import { hiddenNameIn, type Mapping } from '@millrace/query';
import { compiledMapping } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import { readMapping } from '../matching/readMapping.js';
import { refusingFilter } from '../matching/registerFilter.js';
import { readRoomTest } from '../matching/RoomTest.js';
import { targetOf } from '../targetOf.js';
import { fieldRulesOf } from '../matching/fieldRulesOf.js';

/** Of subscribers that are notified of published messages only. */
const NO_DOCUMENTS: DocumentRight = { key: '[]', grants: [] };

/** Rights to the documents that subscribers are notified of. */
@scoped(Scope.ContainerScoped)
export class ReadRights {
  constructor(
    @inject(SECURITY) private readonly security: Security,
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(REALTIME_CONFIG) private readonly config: RealtimeConfig,
  ) {}

  /** Requires the right `realtime.subscribe` on a collection. @throws 401 or 403 */
  authorize(request: Request, name: CollectionName): MaybePromise<void> {
    return this.security.authorizeTarget(request, targetOf(name, 'realtime', 'subscribe'));
  }

  /** The documents of a collection that a user may be notified of (SEC-86); null: all, with all fields. */
  of(request: Request, name: CollectionName): MaybePromise<DocumentRight | null> {
    return andThen(this.rightTo(request, name, 'search'), (search) => {
      if (search !== false) return search === true ? null : search;
      return andThen(this.rightTo(request, name, 'get'), (get) => (get === true ? null : NO_DOCUMENTS));
    });
  }

  /**
   * As `of`, for the test of a subscription.
   * @param given a filter, or `{query: Q}`
   * @throws security.field_hidden (403) if it names a hidden field; what is thrown for a wrong test (400)
   */
  toTest(request: Request, name: CollectionName, given: JsonObject): MaybePromise<DocumentRight | null> {
    return andThen(this.of(request, name), (right) => {
      const rules = fieldRulesOf(right?.grants ?? []);
      if (rules.length === 0) return right;
      const parsed = parseSubscribed(given, this.config.filterLimits);
      return andThen(readMapping(this.engine, name), (mapping: Mapping) => {
        const hidden = hiddenNameIn(parsed, rules, compiledMapping(mapping));
        if (hidden === undefined) return right;
        const { field, path } = hidden;
        throw securityErrors.field_hidden({ field, where: path === '' ? '' : ` at ${path}` });
      });
    });
  }

  private rightTo(request: Request, name: CollectionName, action: string): MaybePromise<boolean | DocumentRight> {
    return this.security.documentRight?.(request, targetOf(name, 'document', action)) ?? true;
  }
}

/**
 * The parsed filter or query of a subscription.
 * @throws realtime.invalid_filter, realtime.filter_too_complex, query.invalid, query.forbidden (400)
 */
function parseSubscribed(given: JsonObject, limits: FilterLimits): object {
  const test = readRoomTest(given, limits.bytes);
  if (test.kind === 'query') return test.query;
  return refusingFilter(() => parseFilter(test.filter, limits));
}
