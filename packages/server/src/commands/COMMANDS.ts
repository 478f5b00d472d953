import type { Command } from './Command.js';
import { startCommand } from './startCommand.js';
import { typesCommand } from './typesCommand.js';

/** All commands of `millrace`, in the order of its help. */
export const COMMANDS: readonly Command[] = [startCommand, typesCommand];
