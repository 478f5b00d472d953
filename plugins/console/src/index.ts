export { adminConsole } from './adminConsole.js';
export type { ConsoleConfig } from './config.js';
