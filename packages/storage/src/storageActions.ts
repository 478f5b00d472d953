import { CONTENT_RULES, type ActionDefinition } from '@millrace/kernel';
import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { collectionActions } from './actions/collectionActions.js';
import { documentSearchActions, getDocument } from './actions/documentReadActions.js';
import { documentWriteActions, queryWriteActions } from './actions/documentWriteActions.js';
import { importBulk } from './actions/importBulk.js';
import { indexActions } from './actions/indexActions.js';
import { manyDocumentsActions } from './actions/manyDocumentsActions.js';
import { specificationActions, validationActions } from './actions/specificationActions.js';
import { BulkImporter } from './batches/BulkImporter.js';
import { MultiDocuments } from './batches/MultiDocuments.js';
import { CollectionCatalog } from './catalog/CollectionCatalog.js';
import { CollectionRemoval } from './indexes/CollectionRemoval.js';
import { IndexCatalog } from './indexes/IndexCatalog.js';
import { IndexNames } from './IndexNames.js';
import { DocumentStore } from './documents/DocumentStore.js';
import { DocumentLimits } from './rights/DocumentLimits.js';
import { DocumentSearch } from './search/DocumentSearch.js';
import { QueryDeletion } from './search/QueryDeletion.js';
import { QueryUpdates } from './search/QueryUpdates.js';
import { SearchExplanation } from './search/SearchExplanation.js';
import { SpecificationCatalog } from './validation/SpecificationCatalog.js';

/**
 * The actions of the controllers index, collection, document and bulk, and realtime.validate, over the services that
 * `registerStorage` registered.
 */
export function storageActions(container: DependencyContainer): readonly ActionDefinition[] {
  const of = <T>(service: InjectionToken<T>): T => container.resolve(service);
  const newIndex = of(IndexNames).argument();
  const documents = of(DocumentStore);
  return [
    ...indexActions(of(IndexCatalog), newIndex),
    ...collectionActions(of(CollectionCatalog), of(CollectionRemoval), newIndex),
    ...specificationActions(of(SpecificationCatalog)),
    ...validationActions(of(CONTENT_RULES)),
    getDocument(documents, of(DocumentLimits)),
    ...documentSearchActions(of(DocumentSearch), of(SearchExplanation)),
    ...documentWriteActions(documents, newIndex),
    ...queryWriteActions(of(QueryDeletion), of(QueryUpdates)),
    ...manyDocumentsActions(of(MultiDocuments), newIndex),
    importBulk(of(BulkImporter)),
  ];
}
