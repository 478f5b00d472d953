import { addressRanges, type ConfigSchema } from '@millrace/kernel';
import { withDefaults } from '@millrace/plugin-kit';

/** The values of section `console`, as validated by `consoleConfig`. */
export interface ConsoleConfig {
  readonly enabled: boolean;
  readonly allow: string | readonly string[];
}

/**
 * Configuration keys of section `console`.
 * @param defaults a program's defaults, replacing the built-in ones; file, environment and flags override them
 */
export function consoleConfig(defaults: Partial<ConsoleConfig> = {}): ConfigSchema {
  const schema: ConfigSchema = {
    enabled: {
      doc: 'Serves the admin console at /_console',
      format: Boolean,
      default: false,
    },
    allow: {
      doc: 'Addresses and CIDR ranges of the clients that get the console; others get a 403. Default: the machine itself',
      format: addressRanges,
      default: '127.0.0.0/8,::1',
    },
  };
  return withDefaults(schema, defaults, 'adminConsole');
}
