import { readClientTypes } from '../clientTypes/readClientTypes.js';
import type { Command } from './Command.js';
import { SERVER_OPTIONS, serverOf } from './RemoteServer.js';

/** Prints the collections and plugin actions of a running server as types. */
export const typesCommand: Command = {
  name: 'types',
  summary: 'Prints types for @millrace/client: collections of a running server, actions of plugins',
  description: 'Write them into a file: millrace types > millrace.d.ts',
  options: {
    ...SERVER_OPTIONS,
    single: { doc: 'fields of mappings hold one value: T in place of T | T[]' },
  },
  usesConfig: false,
  hasResult: false,
  run: async (call) => {
    call.context.stdout.write(await readClientTypes(await serverOf(call), call.has('single')));
    return undefined;
  },
};
