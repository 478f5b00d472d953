#!/usr/bin/env node
import { installedPlugins, runProcess } from '../dist/index.js';

await runProcess(process.argv.slice(2), { plugins: installedPlugins });
