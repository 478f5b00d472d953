import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

const COMPILER_OPTIONS = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  module: 'NodeNext',
  strict: true,
  skipLibCheck: true,
  types: [],
  outDir: 'built',
  rootDir: '.',
};

/** A program of a user in TypeScript, in a separate folder: compiled strictly, and run. */
export class UserProgram {
  private constructor(readonly folder: string) {}

  static async create(): Promise<UserProgram> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-program-'));
    const program = new UserProgram(folder);
    await symlink(MODULES, join(folder, 'node_modules'));
    await program.write('package.json', '{"type": "module"}');
    await program.write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['**/*.ts'] }));
    return program;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(this.path(name), text);
  }

  /** @returns what the compiler has to say; nothing: it compiles */
  async compile(): Promise<string> {
    return run(process.execPath, [TSC, '-p', this.folder]).then(
      () => '',
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
  }

  /** Runs a compiled program. @returns what it writes, line by line as JSON */
  async run(name: string, ...args: readonly string[]): Promise<readonly unknown[]> {
    const { stdout } = await run(process.execPath, [this.path(`built/${name}.js`), ...args]);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
