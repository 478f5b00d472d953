// Which files of the repository are pages of the site, and where.
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Markdown of the repository that is no page: of folders without a row in `PAGES`, and other files in folders with one. */
export const NO_PAGES = [
  '{examples,bench,test,scripts}/**',
  '{packages,plugins}/*/!(README).md',
  '{packages,plugins}/*/*/**',
  'packages/wire-testing/**',
  'README.md',
];

const PAGES = [
  [/^docs\/README$/, 'pages'],
  [/^docs\/site\/([\w-]+)$/, '$1'],
  [/^docs\/(.*\/)?README$/, '$1index'],
  [/^docs\/(.+)$/, '$1'],
  [/^(packages|plugins)\/(?!wire-testing)([\w-]+)\/README$/, '$1/$2'],
  [/^(?:CHANGELOG|CONTRIBUTING|SECURITY)$/, (name) => name.toLowerCase()],
];

/** @returns the path on the site, such as `guide/client.md`, of a file of the repository; undefined if it isn't there */
export function pageOf(path) {
  const [, name] = /^(.+)\.md$/.exec(path) ?? [];
  const row = name && PAGES.find(([pattern]) => pattern.test(name));
  return row && `${name.replace(...row)}.md`;
}

/**
 * Links of pages are between files of the repository.
 * @param path of the page's file, absolute
 * @returns the link on the site, with `.md`; undefined for a file that the site doesn't hold; other links as they are
 * @throws Error naming page and link where there is no such file
 */
export function siteLink(href, path) {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href;
  const [, file, anchor] = /^([^#]*)(.*)$/.exec(href);
  const target = join(dirname(path), decodeURIComponent(file));
  if (!existsSync(target)) throw new Error(`${relative(root, path)}: dead link ${href}`);
  const source = relative(root, target);
  const page = source === 'README.md' ? 'index.md' : pageOf(source);
  return page && `/${page}${anchor}`;
}
