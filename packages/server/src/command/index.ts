/*
 * The entry of the `millrace` command. `scripts/bundle.mjs` makes one bundle of it and of the packages that plugins don't
 * import: a server starts sooner from a few files. Kernel, query, language and the plugin kit stay separate modules, so
 * that plugins meet the same instance as the server.
 */
import 'reflect-metadata';

export { installedPlugins } from '../plugins/installedPlugins.js';
export { runProcess } from '../commands/runProcess.js';
