import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plugin } from '@millrace/kernel';
import { runTestCommand } from '../commands/runTestCommand.test.support.js';
import { Kernel } from '../Kernel.js';

const COMMAND = fileURLToPath(new URL('../../bin/millrace.js', import.meta.url));

/** A plugin needs nothing of ours at run time: `definePlugin` checks types. */
const DOORS = `{
  name: 'doors', kernel: '*',
  config: { doors: { degrees: { doc: 'Angle', format: 'nat', default: 90 } } },
  setup() {},
}`;

const FILES = {
  'doors.mjs': `export const DEGREES = 1;\nexport const doors = () => (${DOORS});`,
  'made.mjs': `export default ${DOORS};`,
  'optional.mjs': `export default async (options) => ({ ...${DOORS}, name: options.name });`,
  'syntax.mjs': `export const a = 1;\nexport const b = = 2;\n`,
  'throws.mjs': `const a = 1;\n\nnull.name;\n`,
  'refuses.mjs': `export default ({ key } = {}) => {\n  if (!key) throw new Error('key is missing');\n};\n`,
  'nothing.mjs': `export const a = 1;\n`,
  'several.mjs': `export const one = () => 1;\nexport const two = () => 2;\n`,
  'empty.mjs': `export default () => undefined;\n`,
  'old.mjs': `export default { ...${DOORS}, kernel: '^9.0.0' };`,
  'etc/millrace.config.json': `{"plugins": ["../doors.mjs"]}`,
  'broken.json': `{"plugins": [3]}`,
  'with-options.json': `{"plugins": [{"plugin": "./optional.mjs", "options": {"name": "gates", "key": "hush"}}]}`,
  'node_modules/millrace-gate/package.json': `{"name": "millrace-gate", "exports": {"import": "./lib/gate.mjs"}}`,
  'node_modules/millrace-gate/lib/gate.mjs': `export default { name: 'gate', kernel: '*', setup() {} };`,
};

describe('plugins that the configuration names', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-plugins-'));
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (...args: readonly string[]) => runTestCommand(args, { folder });
  const check = (plugins: string) => run('config', 'check', '--plugins', plugins);

  it.each([
    ['./doors.mjs', 'its only function'],
    ['./made.mjs', 'a plugin as the default export'],
    ['millrace-gate,./doors.mjs', 'a package that has no form for require()'],
  ])('CLI-16 loads %s: %s', async (plugins) => {
    expect(await check(plugins)).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await run('config', 'show', '--plugins', plugins, '--doors.degrees', '45');
    expect(stdout).toMatch(/doors\.degrees +45/);
    expect(stdout).toMatch(/^plugins .*--plugins$/m);
  });

  it('finds paths from the file that names them, and options of a name, which stay hidden', async () => {
    const etc = await run('config', 'show', '--config', 'etc/millrace.config.json', '--changed');
    expect(etc.stdout).toMatch(/^plugins +\["\.\.\/doors\.mjs"\]/m);
    const shown = await run('config', 'show', '--config', 'with-options.json', '--json');
    expect(shown.stdout).toContain('default of plugin gates');
    expect(shown.stdout).not.toContain('hush');
    const variable = {
      MILLRACE_PLUGINS: '[{"plugin": "./optional.mjs", "options": {"name": "bars"}}]',
    };
    const options = { folder, environment: variable };
    expect((await runTestCommand(['config', 'show'], options)).stdout).toContain('plugin bars');
  });

  it('CLI-16 one that the command has already takes its place', async () => {
    const config = { doors: { degrees: { doc: 'Angle', format: 'nat', default: 10 } } };
    const own: Plugin = { name: 'doors', kernel: '*', config, setup() {} };
    const options = { folder, plugins: async () => [own] };
    const { code, stdout, stderr } = await runTestCommand(['config', 'show', '--plugins', './made.mjs'], options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/doors\.degrees +90/);
  });

  it('an option replaces the list of the file, whatever is in it', async () => {
    for (const file of ['etc/millrace.config.json', 'broken.json']) {
      const args = ['config', 'show', '--changed', '--config', file, '--plugins', './made.mjs'];
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^plugins +\["\.\/made\.mjs"\] +--plugins$/m);
    }
  });

  it.each([
    ['./absent.mjs', 'there is no file '],
    ['millrace-absent', 'npm install millrace-absent'],
    ['./throws.mjs', '(throws.mjs:3)'],
    ['./refuses.mjs', 'its function threw: key is missing (refuses.mjs:2)'],
    ['./nothing.mjs', 'it has no default export, and none that is a plugin'],
    ['./several.mjs', 'several others (one, two)'],
    ['./empty.mjs', 'its function returned no plugin'],
    ['./old.mjs', 'it needs kernel ^9.0.0'],
    ['./made.mjs,./doors.mjs', 'configuration section "doors" exists already'],
    ['[{"plugin": "./made.mjs", "options": {}}]', 'it takes no options'],
    ['[{"plugin": 3}]', 'must be a list of package names and paths'],
    ['[3', 'must be a list of package names and paths'],
  ])('CLI-16 refuses %s in one line: %s', async (plugins, problem) => {
    const { code, stdout } = await check(plugins);
    expect(code).toBe(1);
    expect(stdout).toContain(problem);
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  it('names the line of a syntax error', async () => {
    // As a process: here the test runner reads the file.
    const args = [COMMAND, 'config', 'check', '--plugins', './syntax.mjs'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toContain("Unexpected token '=' (syntax.mjs:2)");
  });

  it('doctor tells where a plugin is from', async () => {
    const { stdout } = await run('doctor', '--plugins', 'millrace-gate');
    expect(stdout).toContain(`plugin gate is loaded from ${join(folder, 'node_modules')}`);
  });

  it('a program learns that it passes its plugins itself', () => {
    expect(() => new Kernel({ config: { plugins: ['./doors.mjs'] } })).toThrow('new Kernel({ plugins })');
  });
});
