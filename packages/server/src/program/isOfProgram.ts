import { PROGRAM_SUBSCRIPTION } from './ProgramSubscriptions.js';

const OF_THE_PROGRAM: readonly string[] = ['program', PROGRAM_SUBSCRIPTION];

/** True for the protocol of requests and subscriptions that the embedding program makes itself. */
export function isOfProgram(protocol: string): boolean {
  return OF_THE_PROGRAM.includes(protocol);
}
