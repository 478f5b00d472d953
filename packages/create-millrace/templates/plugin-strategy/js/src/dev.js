import { runProcess, shippedPlugins } from '@millrace/server';
import { badgeAuth } from './index.js';

// A server with this plugin, for `npm run dev`; no part of the package.
const badges = { 1001: { pin: '8439', userId: 'ada' } };
void runProcess(process.argv.slice(2), { plugins: [...shippedPlugins(), badgeAuth({ badges })] });
