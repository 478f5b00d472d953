export { describeStorageEngine, type OpenedEngine } from './describeStorageEngine.js';
