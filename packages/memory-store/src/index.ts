export { assembleMemoryStore, type MemoryStoreParts } from './assembleMemoryStore.js';
export { memoryStoreConfig, type MemoryStoreConfig } from './config.js';
export { createEmbeddedEngine, type EmbeddedEngineParts } from './embedded/createEmbeddedEngine.js';
export { EmbeddedEngine, type EmbeddedEngineOptions } from './embedded/EmbeddedEngine.js';
export { copyMemoryStore } from './log/copyMemoryStore.js';
export { memoryStoreModule } from './memoryStoreModule.js';
