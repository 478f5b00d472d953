import 'reflect-metadata';

export { storageConfig, STORAGE_CONFIG, type StorageConfig } from './config.js';
export { registerStorage } from './registerStorage.js';
export { storageActions } from './storageActions.js';
export { storageLifecycles, storageSharing } from './storageLifecycles.js';

export { DocumentIdGenerator } from './documents/DocumentIdGenerator.js';
export { RANDOM_BYTES, type RandomBytes } from './documents/RANDOM_BYTES.js';
export { toRegisteredError } from './toRegisteredError.js';
