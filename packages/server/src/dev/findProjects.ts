import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';

/** A folder with TypeScript that is compiled after each change. */
export interface Project {
  readonly folder: string;
  /** The folder's TypeScript compiler, as a script for Node.js. */
  readonly compiler: string;
}

/**
 * Finds the projects that a program in `folder` runs from: the folder itself, and the packages linked into its
 * `node_modules` (`npm install ../my-plugin`), each only if it has a `tsconfig.json`.
 * @throws Error if one has no TypeScript installed
 */
export function findProjects(folder: string): readonly Project[] {
  const folders = [realpathSync(folder), ...linkedFolders(join(folder, 'node_modules'))];
  return folders
    .filter((each) => existsSync(join(each, 'tsconfig.json')))
    .map((each) => ({ folder: each, compiler: compilerOf(each) }));
}

function linkedFolders(modules: string): readonly string[] {
  if (!existsSync(modules)) return [];
  const linked = readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const path = join(modules, entry.name);
    if (entry.isDirectory() && entry.name.startsWith('@')) return linkedFolders(path);
    // Packages that a package manager links from its store have a real path inside some node_modules.
    const isOutside = entry.isSymbolicLink() && existsSync(path);
    const real = isOutside ? realpathSync(path) : '';
    return isOutside && !real.split(sep).includes('node_modules') ? [real] : [];
  });
  return linked;
}

function compilerOf(folder: string): string {
  try {
    return createRequire(join(folder, 'package.json')).resolve('typescript/bin/tsc');
  } catch (error) {
    throw new Error(`${folder} has no TypeScript: run "npm install" there`, { cause: error });
  }
}
