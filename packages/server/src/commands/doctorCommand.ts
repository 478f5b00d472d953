import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspectConfig, listConfigKeys } from '@millrace/kernel';
import { checkLibraries } from '../doctor/checkLibraries.js';
import { examine, examineProcess } from '../doctor/examine.js';
import { fault, ok, type Finding } from '../doctor/Finding.js';
import { BASE_MODULES, SERVICE_MODULES } from '../modules/OWN_MODULES.js';
import { loadedFrom } from '../plugins/loadPlugins.js';
import { prepareConfig } from '../configuration/prepareConfig.js';
import type { Command } from './Command.js';
import type { CommandCall } from './CommandCall.js';
import { findConfigFaults } from './configCommands.js';

const MARKS = { ok: 'ok     ', warning: 'WARNING', error: 'ERROR  ' };

/** Finds the commonest faults of an installation. */
export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Looks for the commonest faults of an installation, and says how to mend them',
  description:
    'Run it as the user and with the environment of the server. It changes no data, and locks the folder of a stopped server for a moment. Exit code 1 if there is an error.',
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const findings = await findAll(call);
    const text = findings
      .map(({ level, saw, mend }) => `${MARKS[level]} ${saw}\n${mend === '' ? '' : `        → ${mend}\n`}`)
      .join('');
    const isFailed = findings.some(({ level }) => level === 'error');
    return { text, json: findings.map((finding) => ({ ...finding })), isFailed };
  },
};

async function findAll(call: CommandCall): Promise<readonly Finding[]> {
  try {
    await call.context.plugins();
  } catch (error) {
    const mend = 'Install it again: npm install; see the first line of its error with: node -e "import(NAME)"';
    return [fault('plugin', `A plugin can't be loaded: ${(error as Error).message}`, mend), ...examineProcess()];
  }
  const functions = await findFunctions(call);
  if (functions.some(({ level }) => level === 'error')) return [...functions, ...examineProcess()];
  const faults = await findConfigFaults(call);
  if (faults.length > 0) {
    const mend = 'See docs/reference/configuration.md, or millrace --help for all keys';
    const id = (key: string) => (key === '' ? 'configuration' : 'configuration-key');
    return [...faults.map(({ key, problem }) => fault(id(key), problem, mend)), ...examineProcess()];
  }
  const { environment, folder } = call.context;
  const options = await call.kernelOptions();
  const { plugins, schema, sources } = prepareConfig(options);
  const { config } = inspectConfig(schema, sources);
  const name = options.configName;
  const secretsInFile = listConfigKeys(schema)
    .filter(({ path, leaf }) => leaf.sensitive === true && config.origins[path] === name)
    .map(({ path }) => path);
  const configFile = name === undefined ? undefined : resolve(folder, name);
  const context = { config, environment, folder, configFile, secretsInFile };
  const libraries = [...BASE_MODULES, ...plugins, ...SERVICE_MODULES].flatMap((module) => module.libraries ?? []);
  return [
    ok('configuration', 'the configuration is valid'),
    ...(await checkLibraries(libraries)),
    ...plugins.flatMap((plugin) => {
      const from = loadedFrom(plugin);
      return from === undefined ? [] : [ok('plugin', `plugin ${plugin.name} is loaded from ${from.path}`)];
    }),
    ...functions,
    ...(await examine(context)),
  ];
}

/** Each file of server functions, refused or not. A configuration file that can't be read is reported with the others. */
async function findFunctions(call: CommandCall): Promise<readonly Finding[]> {
  const folder = await call.functionsFolder().catch(() => undefined);
  if (folder === undefined || !existsSync(folder)) return [];
  const { readFunctionFiles } = await import('../functions/readFunctionFiles.js');
  return (await readFunctionFiles(folder).catch(() => [])).map(({ path, functions, problem }) => {
    const mend = 'Mend the file: see docs/guide/functions.md';
    if (problem !== undefined) return fault('function-refused', problem, mend);
    const names = functions.map(({ name, serverFunction: { kind } }) => `${name} (${kind})`);
    return ok('function', `${path} has ${names.length === 0 ? 'no functions' : names.join(', ')}`);
  });
}
