import { runProcess, shippedPlugins } from '@millrace/server';
import { greetings } from './greetings.js';

// Configuration: millrace.config.json, MILLRACE_* or --key value; `npm start -- --help` lists every key.
void runProcess(process.argv.slice(2), { plugins: [...shippedPlugins(), greetings()] });
