import { randomBytes } from 'node:crypto';
import {
  CONFIG,
  DOCUMENT_LISTENERS,
  NO_LISTENERS,
  NO_OBSERVERS,
  CONTENT_RULES,
  NODE_LINK,
  SOLE_NODE,
  WRITE_OBSERVERS,
} from '@millrace/kernel';
import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { BatchWriter } from './batches/BatchWriter.js';
import { BulkImporter } from './batches/BulkImporter.js';
import { MultiDocuments } from './batches/MultiDocuments.js';
import { CatalogSharing } from './catalog/CatalogSharing.js';
import { CollectionCatalog } from './catalog/CollectionCatalog.js';
import { CollectionRemoval } from './catalog/CollectionRemoval.js';
import { DEFAULT_MAPPING, parseDefaultMapping } from './catalog/DEFAULT_MAPPING.js';
import { IndexCatalog } from './catalog/IndexCatalog.js';
import { STORAGE_CONFIG, type StorageConfig } from './config.js';
import { ContentAdmission } from './documents/ContentAdmission.js';
import { DocumentCommits } from './documents/DocumentCommits.js';
import { DocumentIdGenerator } from './documents/DocumentIdGenerator.js';
import { DocumentStore } from './documents/DocumentStore.js';
import { DocumentUpdates } from './documents/DocumentUpdates.js';
import { DocumentUpserts } from './documents/DocumentUpserts.js';
import { HeardWrites } from './documents/HeardWrites.js';
import { RANDOM_BYTES } from './documents/RANDOM_BYTES.js';
import { WriteReview } from './documents/WriteReview.js';
import { DocumentSearch } from './search/DocumentSearch.js';
import { EmptyCollection } from './search/EmptyCollection.js';
import { QueryDeletion } from './search/QueryDeletion.js';
import { QueryUpdates } from './search/QueryUpdates.js';
import { ScrollSharing } from './search/ScrollSharing.js';
import { ScrollTable } from './search/ScrollTable.js';
import { SpecificationCatalog } from './validation/SpecificationCatalog.js';
import { SpecificationRules } from './validation/SpecificationRules.js';
import { SpecificationStore } from './validation/SpecificationStore.js';

/**
 * Registers the storage services in a server's container, one of each. Needs `STORAGE_ENGINE`, `CONFIG` (or
 * `STORAGE_CONFIG`), `CLOCK`, `LOGGER` and `INTERNAL_INDEX` there; whatever stands there already (rules for content,
 * document listeners, random source) is kept.
 * @throws core.invalid_config for a `storage.defaultMapping` that is no mapping
 */
export function registerStorage(container: DependencyContainer): void {
  const provide = <T>(token: InjectionToken<T>, make: () => T) => {
    if (!container.isRegistered(token, true)) container.registerInstance(token, make());
  };
  provide(STORAGE_CONFIG, () => container.resolve(CONFIG).section<StorageConfig>('storage'));
  const { defaultMapping } = container.resolve(STORAGE_CONFIG);
  provide(DEFAULT_MAPPING, () => parseDefaultMapping(defaultMapping));
  provide(RANDOM_BYTES, () => randomBytes);
  container.registerSingleton(SpecificationStore).registerSingleton(SpecificationCatalog);
  provide(CONTENT_RULES, () => container.resolve(SpecificationRules));
  provide(DOCUMENT_LISTENERS, () => NO_LISTENERS);
  provide(WRITE_OBSERVERS, () => NO_OBSERVERS);
  provide(NODE_LINK, () => SOLE_NODE);
  container
    .registerSingleton(CatalogSharing)
    .registerSingleton(ScrollSharing)
    .registerSingleton(IndexCatalog)
    .registerSingleton(CollectionCatalog)
    .registerSingleton(CollectionRemoval)
    .registerSingleton(DocumentIdGenerator)
    .registerSingleton(ContentAdmission)
    .registerSingleton(WriteReview)
    .registerSingleton(HeardWrites)
    .registerSingleton(DocumentCommits)
    .registerSingleton(DocumentStore)
    .registerSingleton(DocumentUpdates)
    .registerSingleton(DocumentUpserts)
    .registerSingleton(BatchWriter)
    .registerSingleton(BulkImporter)
    .registerSingleton(MultiDocuments)
    .registerSingleton(ScrollTable)
    .registerSingleton(DocumentSearch)
    .registerSingleton(EmptyCollection)
    .registerSingleton(QueryDeletion)
    .registerSingleton(QueryUpdates);
}
