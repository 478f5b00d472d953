import { listConfigKeys, type Plugin, type ListeningAddress } from '@millrace/kernel';
import { parseCommandLine } from './CommandLine.js';
import { configSchema } from './configSchema.js';
import { isTextLog, type LogConfig } from './createLogger.js';
import { endOnSignals } from './endOnSignals.js';
import { firstSteps } from './firstSteps.js';
import { Kernel } from './Kernel.js';
import { quietBrokenPipes } from './quietBrokenPipes.js';
import { readConfigFile } from './readConfigFile.js';
import type { ServerConfig } from './ServerConfig.js';
import { VERSION } from './version.js';

/** Additions of a process to a plain server. */
export interface ProcessOptions {
  readonly plugins?: readonly Plugin[];
  /** Runs once every entrypoint is listening, before the addresses are printed. */
  readonly onStarted?: (kernel: Kernel, addresses: readonly ListeningAddress[]) => Promise<void>;
}

/** Permissions of group and others. */
const OF_OTHERS = 0o077;

/**
 * Runs a server as this process: configuration from file, `MILLRACE_*` and flags; addresses on standard output.
 * SIGTERM and SIGINT drain and exit with 0, a second one exits at once; a failed start or an uncaught error exits
 * with 1.
 */
export async function runProcess(
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<void> {
  let kernel: Kernel | undefined;
  quietBrokenPipes();
  // Files created by this process are private to its owner. A kernel embedded in another program doesn't change the
  // mask.
  process.umask(process.umask() | OF_OTHERS);
  try {
    if (args[0] === 'types') {
      const { runTypes } = await import('./clientTypes/runTypes.js');
      process.stdout.write(await runTypes(args.slice(1), process.env.MILLRACE_TOKEN));
      return;
    }
    const commandLine = parseCommandLine(args);
    if (commandLine.isVersion) return print(VERSION);
    if (commandLine.isHelp) return printHelp(options.plugins ?? []);
    const file = await readConfigFile(
      process.cwd(),
      commandLine.configFile ?? process.env.MILLRACE_CONFIG,
    );
    kernel = new Kernel({
      ...(file === undefined ? undefined : { config: file.values, configName: file.name }),
      environment: process.env,
      flags: commandLine.flags,
      plugins: options.plugins ?? [],
    });
    endOnSignals(kernel, 2 * kernel.config.section<ServerConfig>('server').stopTimeoutMs);
    const addresses = await kernel.start();
    await options.onStarted?.(kernel, addresses);
    for (const { url, protocol } of addresses) print(`Millrace listens on ${url} (${protocol})`);
    if (isTextLog(kernel.config.section<LogConfig>('log')))
      process.stderr.write(await firstSteps(kernel, addresses));
  } catch (error) {
    // One line only: the cause is logged, not printed on the terminal.
    process.stderr.write(`millrace: ${error instanceof Error ? error.message : String(error)}\n`);
    await kernel?.stop();
    process.exit(1);
  }
}

function printHelp(plugins: readonly Plugin[]): void {
  print('millrace [--config FILE] [--KEY VALUE]…: runs a Millrace server');
  print('millrace types [--url URL] [--token TOKEN]: prints types for @millrace/client\n');
  print('Every key can also be set in millrace.config.{json,mjs} or in the environment:\n');
  for (const { path, environmentName, leaf } of listConfigKeys(configSchema(plugins))) {
    print(`  --${path}  ${leaf.doc ?? ''} [${JSON.stringify(leaf.default)}] (${environmentName})`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
