import { argv } from 'node:process';
import type { Command } from './Command.js';

/** Runs a server that is restarted after each change of server functions, and of files that this server imports. */
export const devCommand: Command = {
  name: 'dev',
  summary: 'Runs a server for development: restarts it after each change of its functions',
  description:
    'A change is loaded by another process first: functions that are refused leave the server running that worked last, and file and line are printed.',
  usesConfig: true,
  hasResult: false,
  run: async (call) => {
    const { DevLoop } = await import('./dev/runDev.js');
    await new DevLoop().run(argv[1] ?? '', call.toArguments());
    return undefined;
  },
};
