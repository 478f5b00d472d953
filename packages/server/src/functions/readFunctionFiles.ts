import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isServerFunction, type ServerFunction } from '@millrace/kernel';
import { KNOWN_CONTROLLERS } from '../actions/KNOWN_CONTROLLERS.js';
import { firstLine, placedMessage, typeScriptProblem } from '../imports/importProblems.js';
import { stripTypes } from './stripTypes.js';

/** An export of a file of server functions. */
export interface ExportedFunction {
  readonly name: string;
  /** Path and line, such as `functions/greetings.ts:3`. */
  readonly place: string;
  readonly serverFunction: ServerFunction;
}

/** A file in the folder of server functions. */
export interface FunctionFile {
  /** Name of the file without folder and extension: the controller of its actions. */
  readonly name: string;
  /** For messages: such as `functions/greetings.ts`. */
  readonly path: string;
  readonly functions: readonly ExportedFunction[];
  /** Why it is refused, with file and line where known; undefined if it is not. */
  readonly problem: string | undefined;
}

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];

/** Controllers of the server, and names that stand for several of them. */
const RESERVED = [...KNOWN_CONTROLLERS, 'admin', 'ms'];

/**
 * Imports the files of a folder of server functions, in the order of their names. Files whose names begin with `_` or `.`,
 * tests, declarations and subfolders are left to those that import them.
 * @param folder an absolute path
 * @returns an entry for each file, refused or not @throws what reading the folder throws
 */
export async function readFunctionFiles(folder: string): Promise<readonly FunctionFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.isDirectory() && isFunctionFile(entry.name))
    .map(({ name }) => name)
    .sort();
  const files: FunctionFile[] = [];
  for (const name of names) {
    const twin = files.find((file) => file.name === toName(name));
    files.push(await readOne(folder, name, twin));
  }
  return files;
}

function isFunctionFile(name: string): boolean {
  return EXTENSIONS.includes(extname(name)) && !/^[_.]/.test(name) && !/\.(?:d|test|spec)\./.test(name);
}

function toName(file: string): string {
  return basename(file, extname(file));
}

async function readOne(folder: string, file: string, twin: FunctionFile | undefined): Promise<FunctionFile> {
  const path = join(folder, file);
  const shown = `${basename(folder)}/${file}`;
  const name = toName(file);
  const refused = (problem: string) => ({ name, path: shown, functions: [], problem });
  if (twin !== undefined) return refused(`${shown}: ${twin.path} has the same name: rename one`);
  let module: Readonly<Record<string, unknown>>;
  try {
    if (typeScriptProblem(path) !== undefined) stripTypes(folder);
    module = (await import(pathToFileURL(path).href)) as typeof module;
  } catch (error) {
    const message = await placedMessage(error, path, dirname(folder), folder);
    return refused(`${shown}: ${withHint(message)}`);
  }
  const source = await readFile(path, 'utf8');
  const exported = Object.entries(module).map(([each, value]) => ({
    name: each,
    place: `${shown}${lineOf(each, source)}`,
    serverFunction: value,
  }));
  for (const each of exported) {
    const problem = problemOf(each, name);
    if (problem !== undefined) return refused(`${each.place}: ${problem}`);
  }
  return {
    name,
    path: shown,
    functions: exported as readonly ExportedFunction[],
    problem: undefined,
  };
}

function problemOf(
  { name, serverFunction }: { readonly name: string; readonly serverFunction: unknown },
  file: string,
): string | undefined {
  if (!isServerFunction(serverFunction)) {
    return `the export ${name} is no server function: expected what action, onWrite, on, cron or strategy of @millrace/kernel returns; other code belongs in a file that begins with "_", or in a subfolder. If the folder is for something else, set the configuration key "functions" to ""`;
  }
  if (name === 'default') {
    return 'it has a default export: expected a name, such as export const hello = action(…)';
  }
  if (serverFunction.kind !== 'action') return undefined;
  if (RESERVED.includes(file)) {
    return `the controller ${file} belongs to the server: expected another file name for the action ${name}`;
  }
  return /^[a-z][\w-]{0,63}$/i.test(file)
    ? undefined
    : `the file name ${JSON.stringify(file)} can't be a controller: expected letters, digits, "-" and "_", beginning with a letter`;
}

/** `:3`, or nothing where the source names the export in another way. */
function lineOf(name: string, source: string): string {
  const word = name.replaceAll('$', '\\$');
  const declared = new RegExp(`^\\s*export\\s+(?:const|let|var|class|(?:async\\s+)?function\\*?)\\s+${word}\\b`);
  const listed = new RegExp(`^\\s*export\\s*\\{[^}]*\\b${word}\\b|^\\s*export\\s+${word}\\b`);
  const at = source.split('\n').findIndex((line) => declared.test(line) || listed.test(line));
  return at < 0 ? '' : `:${at + 1}`;
}

function withHint(message: string): string {
  const [, name] = /Cannot find package '(@millrace\/[\w-]+)'/.exec(message) ?? [];
  return name === undefined ? message : `${message}: npm install ${name}`;
}

/** Describes an error of the folder itself. */
export function folderProblem(folder: string, error: unknown): string {
  return `${folder} can't be read: ${firstLine(error)}`;
}
