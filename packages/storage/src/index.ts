import 'reflect-metadata';

export { storageModule } from './storageModule.js';
export { storageConfig, STORAGE_CONFIG, type StorageConfig } from './config.js';

export { DocumentIdGenerator } from './documents/DocumentIdGenerator.js';
export { RANDOM_BYTES, type RandomBytes } from './documents/RANDOM_BYTES.js';
export { toRegisteredError } from './toRegisteredError.js';
