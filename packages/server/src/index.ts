import 'reflect-metadata';

export { describeCommands, type CommandDescription } from './commands/COMMANDS.js';
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
export { Kernel } from './Kernel.js';
export type { KernelConfig } from './configuration/KernelConfig.js';
export type { KernelOptions } from './configuration/prepareConfig.js';
export type { Mount } from './createMount.js';
export type { NotificationListener, Subscription } from './ProgramSubscriptions.js';
export { runProcess, type ProcessOptions } from './commands/runProcess.js';
export { shippedPlugins } from './plugins/shippedPlugins.js';
