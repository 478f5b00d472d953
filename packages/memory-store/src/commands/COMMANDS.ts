import { failure } from '../keyspace/failure.js';
import { bitfields } from './bitfields.js';
import { bits } from './bits.js';
import type { Command } from './Command.js';
import { counters } from './counters.js';
import { dumps } from './dumps.js';
import { expiries } from './expiries.js';
import { geo } from './geo.js';
import { geoSearches } from './geoSearches.js';
import { hashes } from './hashes.js';
import { hyperLogLogs } from './hyperLogLogs.js';
import { keys } from './keys.js';
import { listPops } from './listPops.js';
import { lists } from './lists.js';
import { server } from './server.js';
import { sets } from './sets.js';
import { sortedSetCombinations } from './sortedSetCombinations.js';
import { sortedSetPops } from './sortedSetPops.js';
import { sortedSetRanges } from './sortedSetRanges.js';
import { sortedSets } from './sortedSets.js';
import { sorting } from './sorting.js';
import { lastIds, streams } from './streams.js';
import { strings } from './strings.js';

const FAMILIES = [
  ...[strings, counters, bits, bitfields, keys, expiries, dumps, sorting, lists, listPops, sets],
  ...[sortedSets, sortedSetPops, sortedSetRanges, sortedSetCombinations, hashes, hyperLogLogs],
  ...[geo, geoSearches, streams, server],
];

/** Every command of the memory store except transactions: actions, argument checks and the embedded engine use it. */
export const COMMANDS: readonly Command[] = FAMILIES.flat();

const BY_WORD = new Map([...COMMANDS, ...lastIds].map((command) => [command.word, command]));

/** The command of a Redis name, in capitals. @throws memory.command_error for another name */
export function commandOf(word: string): Command {
  const command = BY_WORD.get(word);
  if (command === undefined) throw failure(`ERR unknown command '${word}'`);
  return command;
}
