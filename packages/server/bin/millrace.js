#!/usr/bin/env node
import { startAhead } from '../dist/command/ahead.js';

const args = process.argv.slice(2);
startAhead(args);
const { installedPlugins, runProcess } = await import('../dist/command/index.js');
await runProcess(args, { plugins: installedPlugins });
