#!/usr/bin/env node
import { runProcess, shippedPlugins } from '../dist/index.js';

await runProcess(process.argv.slice(2), { plugins: shippedPlugins() });
