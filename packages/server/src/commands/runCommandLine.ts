import { didYouMean, MillraceError } from '@millrace/kernel';
import { VERSION } from '../version.js';
import { ActionError } from '../targets/ActionError.js';
import type { Command, CommandContext } from './Command.js';
import { CommandCall } from './CommandCall.js';
import { commandHelp, commandsHelp, configKeysHelp } from './commandHelp.js';
import { COMMANDS } from './COMMANDS.js';
import { parseCommand } from './parseCommand.js';
import { startCommand } from './startCommand.js';
import { UsageError } from './UsageError.js';

/** Done; `start`: the server runs. */
const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs one command. Results go to standard output, errors to standard error as one line; with `--json`, both go to
 * standard output as one JSON value.
 * @returns the exit code (CLI-2): 0, 1 failed, 2 wrong usage
 */
export async function runCommandLine(given: readonly string[], context: CommandContext): Promise<number> {
  const args = spelledOut(given);
  try {
    if (args[0] === '--version') {
      context.stdout.write(`${VERSION}\n`);
      return DONE;
    }
    if (args[0] === '--help') {
      const keys = configKeysHelp(await context.plugins());
      context.stdout.write(`${commandsHelp(COMMANDS)}\n${keys}`);
      return DONE;
    }
    return await run(args, context);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const message = error instanceof Error ? error.message : String(error);
    // One line only: the cause is logged, not printed on the terminal.
    if (args.includes('--json')) context.stdout.write(`${asJson(error, message)}\n`);
    else context.stderr.write(`millrace: ${message}${isUsage ? ' (see --help)' : ''}\n`);
    return isUsage ? WRONG_USAGE : FAILED;
  }
}

async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const { command, rest } = findCommand(args);
  if (command === undefined) {
    const group = COMMANDS.filter(({ name }) => name.startsWith(`${args[0]} `));
    context.stdout.write(commandsHelp(group));
    return DONE;
  }
  const parsed = parseCommand(command, rest);
  if (parsed.switches.has('help')) {
    const isStart = command === startCommand;
    const keys = isStart ? `\n${configKeysHelp(await context.plugins())}` : '';
    context.stdout.write(commandHelp(command) + keys);
    return DONE;
  }
  const result = await command.run(new CommandCall(parsed, context));
  if (result === undefined) return DONE;
  const { text, json, isFailed = false } = result;
  context.stdout.write(parsed.switches.has('json') ? `${JSON.stringify(json, null, 2)}\n` : text);
  return isFailed ? FAILED : DONE;
}

/** `help [COMMAND]` and `-h` are `--help`. */
function spelledOut(given: readonly string[]): readonly string[] {
  const [first, ...rest] = given;
  const args = first === 'help' ? [...rest, '--help'] : given;
  return args.map((each) => (each === '-h' ? '--help' : each));
}

/**
 * The command that the first one or two words name; `start` if the first argument is an option.
 * @returns no command for the help of a group, such as `config --help`
 * @throws UsageError with the nearest name
 */
function findCommand(args: readonly string[]): { command?: Command; rest: readonly string[] } {
  const [first = '', second = ''] = args;
  if (first === '' || first.startsWith('-')) return { command: startCommand, rest: args };
  const single = COMMANDS.find(({ name }) => name === first);
  if (single !== undefined) return { command: single, rest: args.slice(1) };
  const double = COMMANDS.find(({ name }) => name === `${first} ${second}`);
  if (double !== undefined) return { command: double, rest: args.slice(2) };
  const inGroup = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (inGroup.length > 0 && second === '--help') return { rest: [] };
  const names = (inGroup.length > 0 ? inGroup : COMMANDS).map(({ name }) => name);
  const given = inGroup.length > 0 ? `${first} ${second}`.trim() : first;
  throw new UsageError(
    `Unknown command ${JSON.stringify(given)}: expected one of ${names.join(', ')}${didYouMean(given, names)}`,
  );
}

function asJson(error: unknown, message: string): string {
  const { id, status } = error instanceof MillraceError || error instanceof ActionError ? error : {};
  return JSON.stringify({ error: { ...(id !== undefined && { id, status }), message } }, null, 2);
}
