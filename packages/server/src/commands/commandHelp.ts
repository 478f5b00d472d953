import { listConfigKeys, type Plugin } from '@millrace/kernel';
import { configSchema } from '../configuration/configSchema.js';
import type { Command } from './Command.js';

const EXIT_CODES = `Exit codes: 0 done, 1 failed or something wrong was found, 2 wrong usage.`;

/** The first line of a command's help: its arguments and options. */
export function usageOf(command: Command): string {
  const names = (command.arguments ?? []).map(({ name, isOptional }) => (isOptional === true ? `[${name}]` : name));
  const config = command.usesConfig ? ['[--config FILE] [--KEY VALUE]…'] : [];
  const options = optionsOf(command).map(([name]) => `[${name}]`);
  return ['millrace', command.name, ...names, ...options, ...config].join(' ');
}

/** The lines of `millrace COMMAND --help`. */
export function commandHelp(command: Command): string {
  const rows = [
    ...(command.arguments ?? []).map(({ name, doc }) => [name, doc] as const),
    ...optionsOf(command),
    ...(command.usesConfig
      ? ([
          ['--config FILE', 'configuration file [millrace.config.{json,mjs,ts}]'],
          ['--KEY VALUE', 'a configuration key, such as --server.dataDir ./data'],
        ] as const)
      : []),
    ...(command.hasResult ? ([['--json', 'prints the result as JSON']] as const) : []),
  ];
  const parts = [
    `${usageOf(command)}\n\n${command.summary}.`,
    ...(command.description === undefined ? [] : [command.description]),
    ...(rows.length === 0 ? [] : [table(rows)]),
    EXIT_CODES,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The lines of `millrace --help`: the commands. */
export function commandsHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const);
  return `millrace [COMMAND]

${table(rows)}

Without a command it starts a server. \`millrace COMMAND --help\` describes a command.
${EXIT_CODES}
`;
}

/** The configuration keys, one per line. */
export function configKeysHelp(plugins: readonly Plugin[]): string {
  const lines = listConfigKeys(configSchema(plugins)).map(
    ({ path, environmentName, leaf }) =>
      `  --${path}  ${leaf.doc ?? ''} [${JSON.stringify(leaf.default)}] (${environmentName})`,
  );
  return `Every key can also be set in millrace.config.{json,mjs,ts} or in the environment:\n\n${lines.join('\n')}\n`;
}

/** Options as they are written, with their descriptions. */
function optionsOf({ options = {} }: Command): readonly (readonly [string, string])[] {
  return Object.entries(options).map(([name, { doc, value }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    doc,
  ]);
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, doc]) => `  ${name.padEnd(width)}  ${doc}`).join('\n');
}
