import { runProcess, shippedPlugins } from '@millrace/server';
import { lines } from './index.js';

// A server with this plugin, for `npm run dev`; no part of the package.
void runProcess(process.argv.slice(2), { plugins: [...shippedPlugins(), lines()] });
