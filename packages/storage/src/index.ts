import 'reflect-metadata';

export { storageConfig, STORAGE_CONFIG, type StorageConfig } from './config.js';
export { registerStorage } from './registerStorage.js';
export { storageActions } from './storageActions.js';
export { storageLifecycles } from './storageLifecycles.js';

export { DocumentIdGenerator } from './documents/DocumentIdGenerator.js';
export { RANDOM_BYTES, type RandomBytes } from './documents/RANDOM_BYTES.js';
export {
  CONTENT_RULES,
  NO_SPECIFICATIONS,
  type ContentRules,
  type IncomingContent,
  type ValidationReport,
} from './documents/ContentRules.js';
export {
  NO_SUBSCRIPTIONS,
  REALTIME_COLLECTIONS,
  type RealtimeCollections,
} from './catalog/RealtimeCollections.js';
