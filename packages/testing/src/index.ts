export { describeStorageEngine, type OpenedEngine } from './describeStorageEngine.js';
export { describeMemoryStore, type OpenedMemoryStore } from './memoryStore/describeMemoryStore.js';
