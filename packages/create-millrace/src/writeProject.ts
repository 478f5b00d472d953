import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProjectChoice } from './askForTheRest.js';
import { manifestOf } from './manifestOf.js';
import { VERSION } from './VERSION.js';

// The same from `src` and from `dist`.
const TEMPLATE_FOLDER = fileURLToPath(new URL('../templates/', import.meta.url));

const COMPILER_OPTIONS = {
  target: 'ES2022',
  lib: ['ES2023'],
  module: 'NodeNext',
  types: ['node'],
  rootDir: 'src',
  outDir: 'dist',
  declaration: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
};

/**
 * Writes a project into a folder that is new or empty, from the files of this package alone.
 * @returns the files, relative to the folder
 * @throws Error if the folder isn't empty
 */
export async function writeProject(folder: string, choice: ProjectChoice): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new Error(`Folder ${folder} is not empty: expected a new name, or an empty folder`);
  }
  const files = new Map<string, string>([
    ['package.json', toJson(manifestOf(choice))],
    ['.gitignore', 'node_modules/\ndist/\ndata/\n'],
  ]);
  if (choice.language === 'ts') {
    files.set('tsconfig.json', toJson({ compilerOptions: COMPILER_OPTIONS, include: ['src'] }));
  }
  const template = join(TEMPLATE_FOLDER, choice.template);
  for (const [from, isShared] of [
    [template, true],
    [join(template, choice.language), false],
  ] as const) {
    for (const path of await listFiles(from, isShared ? 1 : Infinity)) {
      files.set(relative(from, path), fillIn(await readFile(path, 'utf8'), choice));
    }
  }
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return [...files.keys()].sort();
}

async function listFiles(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const lists = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return depth > 1 ? listFiles(path, depth - 1) : [];
  });
  return (await Promise.all(lists)).flat();
}

function fillIn(text: string, { name, language }: ProjectChoice): string {
  const values: Readonly<Record<string, string>> = { name, version: VERSION, extension: language };
  return text.replace(/\{\{(\w+)\}\}/g, (found, key: string) => values[key] ?? found);
}

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
