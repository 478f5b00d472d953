import { resolve } from 'node:path';
import { coreErrors, definePlugin, isError, type Plugin } from '@millrace/kernel';
import { type FunctionFile, folderProblem, readFunctionFiles } from './readFunctionFiles.js';

/**
 * Makes one plugin of a folder of server functions, for `new Kernel({ plugins })` and tests. The command line does it itself.
 * @param folder such as `functions`
 * @throws core.invalid_config for a file that is refused: one line with file, line where known, and what was expected
 */
export async function loadFunctions(folder: string): Promise<Plugin> {
  const found = await readFolder(resolve(folder));
  const problems = found.flatMap(({ problem }) => problem ?? []);
  const [first] = problems;
  if (first !== undefined) {
    const more = problems.length - 1;
    const others = more === 0 ? '' : ` (and ${more} more of its files ${more === 1 ? 'is' : 'are'} refused)`;
    throw coreErrors.invalid_config({ problem: `${first}${others}` });
  }
  return definePlugin({
    name: 'functions',
    kernel: '*',
    setup: (host) => {
      for (const { name: file, functions } of found) {
        for (const { name, place, serverFunction } of functions)
          placed(place, () => serverFunction.register(host, { file, name }));
      }
    },
  });
}

async function readFolder(folder: string): Promise<readonly FunctionFile[]> {
  try {
    return await readFunctionFiles(folder);
  } catch (error) {
    throw coreErrors.invalid_config({ problem: folderProblem(folder, error) }, { cause: error });
  }
}

/** Runs a registration; a refusal names file and line. */
function placed(place: string, register: () => void): void {
  try {
    register();
  } catch (error) {
    const { message } = error as Error;
    const isRefusal = isError(error, coreErrors.plugin_refused);
    const reason = isRefusal ? message.replace(/^Plugin "functions" is refused: /, '') : message;
    throw coreErrors.plugin_refused({ plugin: 'functions', reason: `${place}: ${reason}` }, { cause: error });
  }
}
