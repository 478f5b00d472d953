/* Statements of pages for newcomers that were wrong once, each held to what it is about. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '@millrace/kernel';
import { installedPlugins, Kernel } from '@millrace/server';
import { CLOSE_CODES } from '@millrace/plugin-kit';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const pages = execFileSync(
  'git',
  ['ls-files', 'README.md', 'docs/*.md', 'examples/*.md', 'packages/*/README.md', 'plugins/*/README.md'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .trim()
  .split('\n')
  .filter((path) => !path.startsWith('docs/decisions/'));
const guides = pages.filter((path) => path.startsWith('docs/guide/'));

/** Undefined where a part is left out (`…`), or it is no object. */
function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

describe('pages for newcomers', () => {
  it('say in each guide that installs our packages where these come from', () => {
    const installing = guides.filter((path) => /^npm (?:install|create) .*millrace/m.test(read(path)));
    expect(installing.length).toBeGreaterThan(20);
    expect(installing.filter((path) => !read(path).includes('](../README.md#packages)'))).toEqual([]);
  });

  it('name the close code of a stopping server', () => {
    const [code] = Object.entries(CLOSE_CODES).find(([, { meaning }]) => meaning === 'the server is stopping') ?? [];
    expect(read('docs/guide/embedder.md')).toContain(`closes its WebSockets (${code})`);
  });

  it('publish the port of the container that serves HTTP and WebSocket', () => {
    const configuration = read('docs/reference/configuration.md');
    const [, port] = /^\| `http\.port`.*? \| `(\d+)` \|/m.exec(configuration) ?? [];
    const [, path] = /^\| `websocket\.path`.*? \| `"(.+?)"` \|/m.exec(configuration) ?? [];
    expect(path).toBe('/_ws');
    const commands = pages.flatMap((path) => read(path).match(/^docker run .*$/gm) ?? []);
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) expect(command).toContain(`:${port}:${port} `);
  });

  it('name each protocol that notifies where they explain subscriptions', () => {
    const page = read('docs/guide/getting-started.md');
    const explained = page.slice(page.indexOf('## Subscribe'), page.indexOf('npm install ws'));
    for (const name of ['WebSocket', 'server-sent events', 'MQTT', 'socket.io', 'long polling'])
      expect(explained).toContain(name);
  });

  it('name each form of the configuration file', () => {
    const forms = read('packages/server/src/configuration/readConfigFile.ts').match(/(?<='millrace\.config\.)\w+/g);
    expect(forms).toEqual(['json', 'mjs', 'ts']);
    const lists = pages.flatMap((path) => read(path).match(/(?<=millrace\.config\.\{)[\w,]+/g) ?? []);
    expect(lists.length).toBeGreaterThan(1);
    expect(new Set(lists)).toEqual(new Set([forms?.join(',')]));
    expect(read('docs/guide/operator.md')).toContain('`millrace.config.json` (or `.mjs`, `.ts`)');
  });

  it('show configurations that a server accepts', async () => {
    const sections = new Set(read('docs/reference/configuration.md').match(/(?<=^## )\w+$/gm));
    // Of the command alone; and test/strategies/recipes.test.ts starts the recipes with certificates.
    sections.delete('plugins');
    const pagesWithout = guides.filter((path) => path !== 'docs/guide/sign-in-recipes.md');
    const shown = pagesWithout.flatMap((path) =>
      [...read(path).matchAll(/^ *```json\n([\s\S]*?)^ *```$/gm)].flatMap(([, text = '']) => {
        const block = parseObject(text);
        const names = Object.keys(block ?? {});
        return names.length > 0 && names.every((name) => sections.has(name)) ? [{ path, config: block ?? {} }] : [];
      }),
    );
    const pagesOfShown = new Set(shown.map(({ path }) => path));
    expect([...pagesOfShown]).toEqual(expect.arrayContaining(['docs/guide/cluster.md', 'docs/guide/deploy.md']));
    const plugins = await installedPlugins();
    const refusals = shown.flatMap(({ path, config }) => {
      try {
        // Names every wrong key or value; opens nothing.
        void new Kernel({ config, plugins });
        return [];
      } catch (error) {
        return [`${path}: ${String(error)}`];
      }
    });
    expect(refusals).toEqual([]);
  });

  it('name the same tested versions of Elasticsearch', () => {
    const [, versions] = /^\| Elasticsearch \| [^|]+ \| (.+) \|$/m.exec(read('docs/guide/support.md')) ?? [];
    expect(versions).toMatch(/^\d+\.\d+\.\d+, \d+\.\d+\.\d+$/);
    const both = versions?.replace(', ', ' and ') ?? '';
    for (const path of ['docs/reference/engine-differences.md', 'docs/guide/operator.md'])
      expect(read(path)).toContain(both);
  });

  it('name the versions of socket.io that are tested', () => {
    const tested = [...read('pnpm-workspace.yaml').matchAll(/socket\.io-client(?:-\d)?: \S*?(\d+)\./g)].map(
      ([, major]) => major,
    );
    expect(read('docs/README.md')).toContain(`socket.io (versions ${tested.sort().join(' to ')},`);
  });

  it('say why a vector search is refused', () => {
    expect(read('docs/reference/search.md')).toContain('`knn` is refused since there are no vectors.');
  });
});
