import 'reflect-metadata';

export { describeCommands, type CommandDescription } from './commands/describeCommands.js';
export type { BackupFile, BackupManifest } from './backup/BackupManifest.js';
export { restoreBackup, type RestoredBackup, type RestoreOptions } from './backup/restoreBackup.js';
export { configSchema } from './configSchema.js';
export { runDev } from './dev/runDev.js';
export { elasticsearchConfig } from './engines/elasticsearchConfig.js';
export { redisMemoryStoreConfig } from './engines/redisMemoryStoreConfig.js';
export { loadFunctions } from './functions/loadFunctions.js';
export { installedPlugins } from './installedPlugins.js';
export { Kernel, type KernelOptions } from './Kernel.js';
export type { KernelConfig } from './KernelConfig.js';
export type { Mount } from './createMount.js';
export type { NotificationListener } from './ProgramSubscriptions.js';
export type { Subscription } from './Subscription.js';
export { runProcess, type ProcessOptions } from './runProcess.js';
export { shippedPlugins } from './shippedPlugins.js';
