import type { CommandOption } from './Command.js';
import type { CommandCall } from './CommandCall.js';
import { OfflineServer, type OpenOptions } from './OfflineServer.js';
import { type RemoteServer, SERVER_OPTIONS, serverOf } from './RemoteServer.js';

/** The options of commands that work with a running server, and with the data of a stopped one. */
export const TARGET_OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...SERVER_OPTIONS,
  url: { value: 'URL', doc: 'address of a running server; without it the data of a stopped one' },
  stopped: { doc: 'no server uses the storage engine; needed only for one that servers can share' },
};

/**
 * Runs a function with the server of `--url`, otherwise with the configured data as the operator, then closes it.
 * @param options.beginsData the command makes sense where no server has run yet. Default: it fails there
 */
export async function withTarget<T>(
  call: CommandCall,
  use: (target: RemoteServer | OfflineServer) => Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const target = call.value('url') === undefined ? await OfflineServer.open(call, options) : await serverOf(call);
  try {
    return await use(target);
  } finally {
    await target.close();
  }
}
