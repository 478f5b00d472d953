import { bitCommands } from './bitCommands.js';
import type { CommandDefinition } from './CommandDefinition.js';
import { geoCommands } from './geoCommands.js';
import { hashCommands } from './hashCommands.js';
import { keyCommands, serverCommands } from './keyCommands.js';
import { listCommands } from './listCommands.js';
import { setCommands } from './setCommands.js';
import { sortedSetCommands } from './sortedSetCommands.js';
import { streamCommands } from './streamCommands.js';
import { stringCommands } from './stringCommands.js';

/**
 * Every command of the memory store except transactions: the table from which actions and argument checks are built.
 */
export const COMMANDS: readonly CommandDefinition[] = [
  ...stringCommands,
  ...bitCommands,
  ...keyCommands,
  ...listCommands,
  ...setCommands,
  ...sortedSetCommands,
  ...hashCommands,
  ...geoCommands,
  ...streamCommands,
  ...serverCommands,
];
