import 'reflect-metadata';

export { storageModule } from './storageModule.js';
export { storageConfig, STORAGE_CONFIG, type StorageConfig } from './config.js';

export { DocumentIdGenerator, RANDOM_BYTES, type RandomBytes } from './documents/DocumentIdGenerator.js';
export { toRegisteredError } from './toRegisteredError.js';
