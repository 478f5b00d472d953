import 'reflect-metadata';

export { describeCommands, type CommandDescription } from './commands/describeCommands.js';
export {
  restoreBackup,
  type BackupFile,
  type BackupManifest,
  type RestoredBackup,
  type RestoreOptions,
} from '@millrace/backup';
export { configSchema } from './configuration/configSchema.js';
export { runDev } from './commands/dev/runDev.js';
export { elasticsearchConfig } from './engines/elasticsearchConfig.js';
export { redisMemoryStoreConfig } from './engines/redisMemoryStoreConfig.js';
export { loadFunctions } from './functions/loadFunctions.js';
export { installedPlugins } from './plugins/installedPlugins.js';
export { Kernel, type KernelOptions } from './Kernel.js';
export type { KernelConfig } from './configuration/KernelConfig.js';
export type { Mount } from './createMount.js';
export type { NotificationListener } from './program/ProgramSubscriptions.js';
export type { Subscription } from './program/Subscription.js';
export { runProcess, type ProcessOptions } from './commands/runProcess.js';
export { shippedPlugins } from './plugins/shippedPlugins.js';
