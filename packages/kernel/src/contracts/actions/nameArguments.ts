import { toDocumentId, type DocumentId } from '../names/DocumentId.js';
import { toIndexName, type IndexName } from '../names/IndexName.js';
import { toCollectionPart, type CollectionPart } from '../names/toCollectionName.js';
import { custom, type Argument } from './Argument.js';

/** The name of an index. @throws storage.invalid_name (400) when parsed */
export function indexName(): Argument<IndexName> {
  return name(toIndexName);
}

/** The name of a collection within its index. @throws storage.invalid_name (400) when parsed */
export function collectionName(): Argument<CollectionPart> {
  return name(toCollectionPart);
}

/** The id of a document. @throws storage.invalid_name (400) when parsed */
export function documentId(): Argument<DocumentId> {
  return name(toDocumentId);
}

function name<T extends string>(parse: (value: string) => T): Argument<T> {
  return custom('a string', { type: 'string' }, (value) => (typeof value === 'string' ? parse(value) : undefined));
}
