export {
  describeChangeLog,
  type ChangeLogLimits,
  type OpenedChangeLog,
  type WriteToLog,
} from './changeLog/describeChangeLog.js';
export { describeAuthStrategy, type StrategyLogins, type StrategyUnderTest } from './strategy/describeAuthStrategy.js';
export { describeMemoryStore, type OpenedMemoryStore } from './memoryStore/describeMemoryStore.js';
export { describeProtocol, type ProtocolClient, type ProtocolUnderTest } from './protocol/describeProtocol.js';
export { describeStorageEngine, type OpenedEngine } from './describeStorageEngine.js';
export { openMemoryStore } from './memoryStore/openMemoryStore.js';
export { startTestKernel, type TestAnswer, type TestKernel, type TestKernelOptions } from './kernel/startTestKernel.js';
export type { TestRunner } from './runner/TestRunner.js';
