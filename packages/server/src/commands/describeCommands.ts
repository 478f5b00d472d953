import { commandHelp } from './commandHelp.js';
import { COMMANDS } from './COMMANDS.js';

/** A command with its help, for the documentation. */
export interface CommandDescription {
  readonly name: string;
  readonly summary: string;
  /** The output of `millrace COMMAND --help`. */
  readonly help: string;
}

/** All commands of `millrace`, in the order of its help. */
export function describeCommands(): readonly CommandDescription[] {
  return COMMANDS.map((command) => ({
    name: command.name,
    summary: command.summary,
    help: commandHelp(command),
  }));
}
