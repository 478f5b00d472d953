import type { Command } from './Command.js';
import { backupCommand } from './backupCommand.js';
import { configCheckCommand, configShowCommand } from './configCommands.js';
import { devCommand } from './devCommand.js';
import { doctorCommand } from './doctorCommand.js';
import { exportCommand } from './exportCommand.js';
import { importCommand } from './importCommand.js';
import { loginCommand, tokenCommand } from './loginCommands.js';
import { moveCommand } from './moveCommand.js';
import { restoreCommand } from './restoreCommand.js';
import { roleApplyCommand, roleCheckCommand, roleExplainCommand } from './roleCommands.js';
import { startCommand } from './startCommand.js';
import { typesCommand } from './typesCommand.js';
import { userCreateCommand, userListCommand, userPasswordCommand } from './userCommands.js';
import { commandHelp } from './commandHelp.js';

/** All commands of `millrace`, in the order of its help. */
export const COMMANDS: readonly Command[] = [
  startCommand,
  devCommand,
  loginCommand,
  tokenCommand,
  typesCommand,
  exportCommand,
  importCommand,
  doctorCommand,
  configShowCommand,
  configCheckCommand,
  userCreateCommand,
  userPasswordCommand,
  userListCommand,
  roleCheckCommand,
  roleApplyCommand,
  roleExplainCommand,
  backupCommand,
  restoreCommand,
  moveCommand,
];

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
