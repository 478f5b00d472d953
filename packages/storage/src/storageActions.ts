import { CONTENT_RULES, type ActionDefinition } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { collectionExists } from './actions/collectionExists.js';
import { countDocuments } from './actions/countDocuments.js';
import { createCollection } from './actions/createCollection.js';
import { createDocument } from './actions/createDocument.js';
import { createIndex } from './actions/createIndex.js';
import { createOrReplaceDocument } from './actions/createOrReplaceDocument.js';
import { deleteDocument } from './actions/deleteDocument.js';
import { deleteDocumentsByQuery } from './actions/deleteDocumentsByQuery.js';
import { deleteIndex } from './actions/deleteIndex.js';
import { deleteIndexes } from './actions/deleteIndexes.js';
import { deleteSpecifications } from './actions/deleteSpecifications.js';
import { eraseHistory } from './actions/eraseHistory.js';
import { explainSearch } from './actions/explainSearch.js';
import { getAutoRefresh } from './actions/getAutoRefresh.js';
import { getDocument } from './actions/getDocument.js';
import { getMapping } from './actions/getMapping.js';
import { getSpecifications } from './actions/getSpecifications.js';
import { importBulk } from './actions/importBulk.js';
import { indexExists } from './actions/indexExists.js';
import { listCollections } from './actions/listCollections.js';
import { listIndexes } from './actions/listIndexes.js';
import { manyDocumentsActions } from './actions/manyDocumentsActions.js';
import { refreshIndex } from './actions/refreshIndex.js';
import { refreshInternal } from './actions/refreshInternal.js';
import { removalActions } from './actions/removalActions.js';
import { replaceDocument } from './actions/replaceDocument.js';
import { scrollDocuments } from './actions/scrollDocuments.js';
import { searchDocuments } from './actions/searchDocuments.js';
import { searchSpecifications } from './actions/searchSpecifications.js';
import { setAutoRefresh } from './actions/setAutoRefresh.js';
import { updateDocument } from './actions/updateDocument.js';
import { updateDocumentsByQuery } from './actions/updateDocumentsByQuery.js';
import { updateMapping } from './actions/updateMapping.js';
import { updateSpecifications } from './actions/updateSpecifications.js';
import { upsertDocument } from './actions/upsertDocument.js';
import { validateDocument } from './actions/validateDocument.js';
import { validateMessage } from './actions/validateMessage.js';
import { validateSpecifications } from './actions/validateSpecifications.js';
import { BulkImporter } from './batches/BulkImporter.js';
import { MultiDocuments } from './batches/MultiDocuments.js';
import { CollectionCatalog } from './catalog/CollectionCatalog.js';
import { DocumentLimits } from './rights/DocumentLimits.js';
import { CollectionRemoval } from './catalog/CollectionRemoval.js';
import { IndexCatalog } from './catalog/IndexCatalog.js';
import { IndexNames, type NewIndexArgument } from './catalog/IndexNames.js';
import { DocumentStore } from './documents/DocumentStore.js';
import { DocumentSearch } from './search/DocumentSearch.js';
import { SearchExplanation } from './search/SearchExplanation.js';
import { QueryDeletion } from './search/QueryDeletion.js';
import { QueryUpdates } from './search/QueryUpdates.js';
import { SpecificationCatalog } from './validation/SpecificationCatalog.js';

/**
 * The actions of the controllers index, collection, document and bulk, and realtime.validate, over the services that
 * `registerStorage` registered.
 */
export function storageActions(container: DependencyContainer): readonly ActionDefinition[] {
  const newIndex = container.resolve(IndexNames).argument();
  return [
    ...indexActions(container.resolve(IndexCatalog), newIndex),
    ...collectionActions(container.resolve(CollectionCatalog), container.resolve(CollectionRemoval), newIndex),
    ...specificationActions(container.resolve(SpecificationCatalog)),
    ...documentActions(container, newIndex),
    importBulk(container.resolve(BulkImporter)),
    validateMessage(container.resolve(CONTENT_RULES)),
  ];
}

function indexActions(indexes: IndexCatalog, newIndex: NewIndexArgument): readonly ActionDefinition[] {
  const factories = [
    createIndex,
    deleteIndex,
    indexExists,
    getAutoRefresh,
    setAutoRefresh,
    listIndexes,
    deleteIndexes,
    refreshIndex,
    refreshInternal,
  ];
  return factories.map((create) => create(indexes, newIndex));
}

function collectionActions(
  collections: CollectionCatalog,
  removal: CollectionRemoval,
  newIndex: NewIndexArgument,
): readonly ActionDefinition[] {
  const factories = [createCollection, collectionExists, getMapping, updateMapping, listCollections, eraseHistory];
  return [...factories.map((create) => create(collections, newIndex)), ...removalActions(removal)];
}

function specificationActions(catalog: SpecificationCatalog): readonly ActionDefinition[] {
  const factories = [
    deleteSpecifications,
    getSpecifications,
    searchSpecifications,
    updateSpecifications,
    validateSpecifications,
  ];
  return factories.map((create) => create(catalog));
}

function documentActions(container: DependencyContainer, newIndex: NewIndexArgument): readonly ActionDefinition[] {
  const documents = container.resolve(DocumentStore);
  const search = container.resolve(DocumentSearch);
  return [
    countDocuments(search),
    createDocument(documents, newIndex),
    createOrReplaceDocument(documents, newIndex),
    deleteDocument(documents),
    deleteDocumentsByQuery(container.resolve(QueryDeletion)),
    explainSearch(container.resolve(SearchExplanation)),
    getDocument(documents, container.resolve(DocumentLimits)),
    replaceDocument(documents),
    searchDocuments(search),
    scrollDocuments(search),
    updateDocument(documents),
    updateDocumentsByQuery(container.resolve(QueryUpdates)),
    upsertDocument(documents, newIndex),
    validateDocument(container.resolve(CONTENT_RULES)),
    ...manyDocumentsActions(container.resolve(MultiDocuments), newIndex),
  ];
}
