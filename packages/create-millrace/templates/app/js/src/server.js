import { adminConsole } from '@millrace/console';
import { runProcess, shippedPlugins } from '@millrace/server';

// Configuration: millrace.config.json, MILLRACE_* or --key value; `npm start -- --help` lists every key.
// The folder functions is found by itself; plugins are added to this list.
const plugins = [...shippedPlugins(), adminConsole({ enabled: process.env.NODE_ENV !== 'production' })];
void runProcess(process.argv.slice(2), { plugins });
