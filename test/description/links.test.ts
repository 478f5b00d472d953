/*
 * Links between pages: the file is there, and so is the heading, by the anchors of the site and of a repository's web page.
 * The site's build checks files only. The files that the README of a package names are there, and so are its classes.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
const pages = tracked.filter((path) => /^(?:docs\/.*|[A-Z]+)\.md$/.test(path) && path !== 'CHANGELOG.md');
const readmes = tracked.filter((path) => /^(?:packages|plugins)\/[\w-]+\/README\.md$/.test(path));
const withoutCode = (path: string) => readFileSync(join(root, path), 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '');

/** As the default of VitePress (`@mdit-vue/shared`) makes them. */
const siteAnchor = (heading: string) =>
  heading
    .normalize('NFKD')
    .replace(/[\u0300-\u036F]/g, '')
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase();
/** As GitHub makes them. */
const repositoryAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

function headingsOf(path: string): readonly string[] {
  return [...withoutCode(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading.replace(/`/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
  );
}

describe('links of pages', () => {
  it.each(pages)('%s', (page) => {
    const dead = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = '']) => {
      if (/^[a-z]+:/.test(href)) return [];
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, target))) return [href];
      if (anchor === undefined || !target.endsWith('.md')) return [];
      const headings = headingsOf(target);
      const isThere = [siteAnchor, repositoryAnchor].every((toAnchor) => headings.map(toAnchor).includes(anchor));
      return isThere ? [] : [href];
    });
    expect(dead).toEqual([]);
  });
});

describe('READMEs of packages', () => {
  const sources = tracked
    .filter((path) => /^(?:packages|plugins|scripts)\/.*\.(?:ts|tsx|mjs)$/.test(path))
    .filter((path) => existsSync(join(root, path)));
  // Made by the build, so not in git.
  const generated = ['ActionMap.ts', 'Notification.ts', 'KernelConfig.ts', 'ErrorId.ts'];
  const files = new Set([...sources.map((path) => basename(path)), ...generated]);
  const words = new Set(sources.flatMap((path) => readFileSync(join(root, path), 'utf8').match(/\b[A-Z]\w+/g) ?? []));

  it.each(readmes)('%s', (readme) => {
    const named = [...withoutCode(readme).matchAll(/`(?:[\w./-]*\/)?([\w-]+\.tsx?)`|`([A-Z][a-z]+[A-Z]\w*)`/g)];
    const absent = named.filter(([, file, name]) => (file === undefined ? !words.has(name ?? '') : !files.has(file)));
    expect(absent.map(([code]) => code)).toEqual([]);
  });
});
