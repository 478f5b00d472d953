import { runProcess } from './runProcess.js';
import { shippedPlugins } from './shippedPlugins.js';

void runProcess(process.argv.slice(2), { plugins: shippedPlugins() });
