import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Dialogue } from './askForTheRest.js';
import { TYPESCRIPT_DEPENDENCIES } from './manifestOf.js';
import { runCreate } from './runCreate.js';
import { TEMPLATES } from './TEMPLATES.js';
import { VERSION } from './VERSION.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly keywords?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Manifest;

describe('runCreate', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-create-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = async (args: readonly string[], dialogue?: Dialogue) => {
    const said: string[] = [];
    const complaints: string[] = [];
    const code = await runCreate(args, {
      folder,
      say: (text) => said.push(text),
      complain: (text) => complaints.push(text),
      ...(dialogue === undefined ? undefined : { dialogue }),
    });
    return { code, said: said.join('\n'), complaints };
  };
  const talk = (answers: string): Dialogue => {
    const input = new PassThrough();
    input.end(answers);
    return { input, output: new PassThrough().resume() };
  };

  const all = Object.keys(TEMPLATES).flatMap(
    (name) =>
      [
        [name, 'js'],
        [name, 'ts'],
      ] as const,
  );
  it.each(all)(
    'makes %s in %s: every placeholder filled in, nothing of the other language',
    async (template, language) => {
      const { code, said } = await run(['@me/it', '--template', template, `--${language}`, '--yes']);
      expect([code, said]).toEqual([0, expect.stringContaining('cd it\n  npm install\n  npm test')]);
      const files = (await readdir(join(folder, 'it'), { recursive: true, withFileTypes: true })).filter((entry) =>
        entry.isFile(),
      );
      for (const { parentPath, name } of files)
        expect(await readFile(join(parentPath, name), 'utf8'), name).not.toMatch(/\{\{|\}\}\}\}/);
      const names = files.map(({ name }) => name);
      expect(names).toContain('.gitignore');
      expect(names.filter((name) => /\.test\.(js|ts)$/.test(name))).toHaveLength(1);
      expect(names.some((name) => name.endsWith(language === 'js' ? '.ts' : '.js'))).toBe(false);
      const manifest = await readManifest(join(folder, 'it/package.json'));
      expect(manifest.name).toBe('@me/it');
      const isPlugin = template !== 'app';
      expect(manifest.keywords?.includes('millrace-plugin') === true).toBe(isPlugin);
      expect(manifest.peerDependencies?.['@millrace/kernel']).toBe(isPlugin ? `^${VERSION}` : undefined);
    },
  );

  it('asks for what is missing, again where the answer can not be', async () => {
    const { code } = await run([], talk('Not A Name\nmine\nnothing\nplugin-pipe\ncoffee\njs\n'));
    expect(code).toBe(0);
    const names = await readdir(join(folder, 'mine/src'));
    expect(names.sort()).toEqual(['dev.js', 'index.js', 'index.test.js']);
  });

  it('takes the number of a template, and defaults for empty answers', async () => {
    expect((await run(['--js'], talk('\n4\n'))).code).toBe(0);
    expect(await readFile(join(folder, 'my-millrace/README.md'), 'utf8')).toContain('_doors');
  });

  it('makes nothing where the dialogue ends early', async () => {
    const { code, complaints } = await run([], talk('mine\n'));
    expect([code, complaints]).toEqual([1, ['Cancelled: nothing was created']]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes defaults without a terminal', async () => {
    expect((await run([])).code).toBe(0);
    const list = async (name: string) => (await readdir(join(folder, 'my-millrace', name))).sort();
    expect(await list('src')).toEqual(['greetings.test.ts', 'server.ts']);
    expect(await list('functions')).toEqual(['greetings.ts', 'tsconfig.json']);
  });

  it.each([
    [['Bad Name'], /Invalid name "Bad Name": expected lower-case/],
    [['../up'], /Invalid name/],
    [['a', 'b'], /one name, got also "b"/],
    [['a', '--template', 'toString'], /Unknown template "toString": expected one of app, plugin-/],
    [['a', '--js', '--ts'], /--js or --ts, got both/],
    [['a', '--colour'], /--colour/],
    [['a', '--template'], /template/],
  ])('refuses %j with one line, and makes nothing', async (args, message) => {
    const { code, complaints } = await run(args);
    expect(code).toBe(1);
    expect(complaints).toEqual([expect.stringMatching(message)]);
    expect(complaints[0]).not.toContain('\n');
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves a folder alone that is not empty', async () => {
    await run(['mine', '--js']);
    await writeFile(join(folder, 'mine/package.json'), 'mine');
    const { code, complaints } = await run(['mine', '--js']);
    expect([code, complaints[0]]).toEqual([1, expect.stringContaining('is not empty')]);
    expect(await readFile(join(folder, 'mine/package.json'), 'utf8')).toBe('mine');
  });

  it('tells about its templates with --help, and makes nothing', async () => {
    const { code, said } = await run(['--help']);
    expect(code).toBe(0);
    for (const name of Object.keys(TEMPLATES)) expect(said).toContain(name);
    expect(await readdir(folder)).toEqual([]);
  });

  it('asks for the packages of its release, and for the compiler that Millrace is built with', async () => {
    const root = new URL('../../../', import.meta.url);
    const versions = [
      (await readManifest(join(import.meta.dirname, '../package.json'))).version,
      (await readManifest(join(import.meta.dirname, '../../kernel/package.json'))).version,
    ];
    expect(versions).toEqual([VERSION, VERSION]);
    const catalog = await readFile(new URL('pnpm-workspace.yaml', root), 'utf8');
    for (const [name, range] of Object.entries(TYPESCRIPT_DEPENDENCIES))
      expect(catalog).toMatch(new RegExp(`^  '?${name}'?: ${range.replace(/[.^~]/g, '\\$&')}$`, 'm'));
  });
});
