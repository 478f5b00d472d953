import { access, readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { coreErrors, isJsonObject, type JsonObject } from '@millrace/kernel';
import { firstLine, typeScriptProblem } from '../imports/importProblems.js';

/** The content of a configuration file. */
export interface ConfigFile {
  readonly name: string;
  readonly values: JsonObject;
}

const NAMES = ['millrace.config.json', 'millrace.config.mjs', 'millrace.config.ts'];

/**
 * Reads the configuration file: the given one, or the first `millrace.config.*` of the folder, or none.
 * @throws core.invalid_config: one line with the file and the problem
 */
export async function readConfigFile(folder: string, given: string | undefined): Promise<ConfigFile | undefined> {
  for (const name of given === undefined ? NAMES : [given]) {
    const path = resolve(folder, name);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return { name, values: await load(name, path) };
  }
  if (given !== undefined) throw refuse(`Configuration file ${given} does not exist`);
  return undefined;
}

async function load(name: string, path: string): Promise<JsonObject> {
  const values = extname(path) === '.json' ? await parseJson(name, path) : await importModule(name, path);
  if (isJsonObject(values)) return values;
  throw refuse(`Configuration file ${name}: expected an object of sections`);
}

async function parseJson(name: string, path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw refuse(`Configuration file ${name} is not valid JSON${placeOf(error, text)}`);
  }
}

/** Number of characters that V8 quotes before the error position. */
const QUOTED_BEFORE = 10;

/** The line of the syntax error, if known. The parser's message quotes the file, which may contain secrets. */
function placeOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  const quoted = /\.\.\."([^]*)"(?:\.\.\.)? is not valid JSON$/.exec(message)?.[1] ?? '';
  const quotedAt = quoted === '' ? -1 : text.indexOf(quoted);
  if (position === undefined && quotedAt < 0) return '';
  const at = position === undefined ? quotedAt + QUOTED_BEFORE : Number(position);
  return ` (line ${text.slice(0, at).split('\n').length})`;
}

async function importModule(name: string, path: string): Promise<unknown> {
  const unreadable = typeScriptProblem(path);
  if (unreadable !== undefined) throw refuse(`Configuration file ${name}: ${unreadable}, use .json or .mjs`);
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    return module.default;
  } catch (error) {
    throw refuse(`Configuration file ${name} can't be loaded: ${firstLine(error)}`, error);
  }
}

function refuse(problem: string, cause?: unknown): Error {
  return coreErrors.invalid_config({ problem }, { cause });
}
