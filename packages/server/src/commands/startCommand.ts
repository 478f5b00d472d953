import { dropWriter } from '../command/ahead.js';
import { endOnSignals } from '../process/endOnSignals.js';
import { isTextLog, type LogConfig } from '../logging/createLogger.js';
import { firstSteps } from '../process/firstSteps.js';
import { Kernel } from '../Kernel.js';
import type { ServerConfig } from '../configuration/ServerConfig.js';
import type { Command } from './Command.js';

/**
 * Runs a server in this process: addresses on standard output; SIGTERM and SIGINT drain and exit with 0, a second one
 * exits at once.
 */
export const startCommand: Command = {
  name: 'start',
  summary: 'Runs a server until SIGTERM or SIGINT',
  usesConfig: true,
  hasResult: false,
  run: async (call) => {
    const { onStarted, stdout, stderr } = call.context;
    const kernel = new Kernel(await call.kernelOptions());
    endOnSignals(kernel, 2 * kernel.config.section<ServerConfig>('server').stopTimeoutMs);
    try {
      const addresses = await kernel.start();
      dropWriter();
      await onStarted?.(kernel, addresses);
      for (const { url, protocol } of addresses) stdout.write(`Millrace listens on ${url} (${protocol})\n`);
      if (isTextLog(kernel.config.section<LogConfig>('log'))) stderr.write(await firstSteps(kernel, addresses));
    } catch (error) {
      await kernel.stop();
      throw error;
    }
    return undefined;
  },
};
