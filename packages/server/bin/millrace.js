#!/usr/bin/env node
import { installedPlugins, runProcess } from '../dist/command/index.js';

await runProcess(process.argv.slice(2), { plugins: installedPlugins });
