import type { Command } from './Command.js';
import { backupCommand } from './backupCommand.js';
import { configCheckCommand } from './configCheckCommand.js';
import { configShowCommand } from './configShowCommand.js';
import { devCommand } from './devCommand.js';
import { doctorCommand } from './doctorCommand.js';
import { exportCommand } from './exportCommand.js';
import { importCommand } from './importCommand.js';
import { loginCommand } from './loginCommand.js';
import { moveCommand } from './moveCommand.js';
import { restoreCommand } from './restoreCommand.js';
import { startCommand } from './startCommand.js';
import { tokenCommand } from './tokenCommand.js';
import { typesCommand } from './typesCommand.js';
import { userListCommand } from './userListCommand.js';
import { userPasswordCommand } from './userPasswordCommand.js';
import { userCreateCommand } from './userCreateCommand.js';
import { roleExplainCommand } from './roleExplainCommand.js';
import { roleApplyCommand } from './roleApplyCommand.js';
import { roleCheckCommand } from './roleCheckCommand.js';

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
