import 'reflect-metadata';

export { storageModule } from './storageModule.js';
export { storageConfig, STORAGE_CONFIG, type StorageConfig } from './config.js';

export { toRegisteredError } from './toRegisteredError.js';
