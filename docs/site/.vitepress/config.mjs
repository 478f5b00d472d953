// The documentation site: the pages of docs/ as they are. `pnpm docs` builds it into docs/site/dist; a dead link fails it.
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { sidebarOf } from './sidebar.mjs';

const docs = fileURLToPath(new URL('../..', import.meta.url));
const page = (text, link) => ({ text, link });

export default defineConfig({
  title: 'Millrace',
  description: 'A plugin-oriented realtime backend',
  lang: 'en',
  srcDir: '..',
  srcExclude: ['site/**'],
  outDir: './dist',
  // Readable in the repository as well, where a folder shows its README.
  rewrites: { 'README.md': 'index.md', 'decisions/README.md': 'decisions/index.md' },
  // Pages work from any folder of a web server that serves `page.html` as `page.html`.
  cleanUrls: false,
  ignoreDeadLinks: [/^https?:\/\/(?:localhost|127\.0\.0\.1)/],
  lastUpdated: false,
  markdown: { config: (markdown) => markdown.core.ruler.push('repository-links', plainLinks) },
  // What scripts/generateDocs.mjs makes for the site; a folder of this name is ignored by git and by every check.
  vite: { publicDir: fileURLToPath(new URL('./dist/public', import.meta.url)) },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      page('Concepts', '/guide/concept-data'),
      page('Guides', '/guide/quick-start'),
      page('Reference', '/reference/protocols'),
      page('Decisions', '/decisions/'),
    ],
    sidebar: sidebarOf(docs),
  },
});

/**
 * Links that leave docs/ lead into the repository, which the site doesn't hold: those are named, not linked.
 * They have to be right all the same.
 */
function plainLinks({ tokens, env }) {
  for (const { children } of tokens) {
    let isOutside = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') isOutside = leadsOutside(token.attrGet('href') ?? '', env);
      if (!isOutside || !token.type.startsWith('link_')) continue;
      token.tag = 'span';
      if (token.type === 'link_open') token.attrs = [];
    }
  }
}

function leadsOutside(href, { path }) {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return false;
  const target = join(dirname(path), decodeURIComponent(href.replace(/#.*$/s, '')));
  if (!relative(docs, target).startsWith('..')) return false;
  if (!existsSync(target)) throw new Error(`${relative(docs, path)}: dead link ${href}`);
  return true;
}
