#!/usr/bin/env node
import { runDev } from '../dist/index.js';

await runDev(process.argv.slice(2));
