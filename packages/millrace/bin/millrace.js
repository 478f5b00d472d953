#!/usr/bin/env node
import { installedPlugins, runProcess } from '@millrace/server/command';

await runProcess(process.argv.slice(2), { plugins: installedPlugins });
