export { indexedDbOutbox } from './indexedDbOutbox.js';
export { memoryOutbox } from './memoryOutbox.js';
export { offline, type OfflineClient, type OfflineFeature, type OfflineOptions, type OutboxView } from './offline.js';
export { OfflineCollection, type OfflineWriteOptions } from './OfflineCollection.js';
export type { DocumentState, OfflineDocument, ShownDocument } from './OfflineDocument.js';
export { OfflineError } from './OfflineError.js';
export type { DocumentAddress, OutboxEntry, OutboxWrite, WriteFailure } from './OutboxEntry.js';
export type { OutboxChange, OutboxStore, Written, WrittenDocument } from './OutboxStore.js';
export type { Conflict, ConflictPolicy } from './resolveConflict.js';
