export type { ActionMap } from '@millrace/actions';
export { createClient } from './createClient.js';
export { MillraceClient, type Client, type ClientOptions, type LoginResult } from './MillraceClient.js';
export type { RequestOptions } from './Request.js';
export { Collection } from './collection/Collection.js';
export type { Document, Hit } from './collection/Document.js';
export type { Imported, ImportOptions, ImportSource } from './collection/importDocuments.js';
export type { Aggregation, Search, SearchPage } from './collection/Search.js';
export type {
  Changes,
  ManyWritten,
  NewDocument,
  VersionedOptions,
  WriteOptions,
  WrittenByQuery,
} from './collection/Write.js';
export type { Actions } from './Actions.js';
export { isError, MillraceError } from './errors/MillraceError.js';
export type { ErrorDetails, ItemError } from './errors/ErrorDetails.js';
export type { ErrorId } from './errors/ErrorId.js';
export type { HttpOptions } from './http/httpTransport.js';
export { NetworkError } from './errors/NetworkError.js';
export { TimeoutError } from './errors/TimeoutError.js';
export { localStorageStore } from './auth/localStorageStore.js';
export { memoryStore } from './auth/memoryStore.js';
export type { Session, TokenListener } from './auth/Session.js';
export type { TokenSource, TokenStore } from './auth/TokenStore.js';
export type { ClientFeatures, CollectionFeatures, Extension, FeatureName } from './Extension.js';
export type { Answer, Message, Transport, TransportContext } from './Transport.js';
export type { FieldPath } from './schema/FieldPath.js';
export type { Filter, Query, Sort } from './schema/Query.js';
export type { AnyContent, AnySchema, SchemaLike } from './schema/Schema.js';
