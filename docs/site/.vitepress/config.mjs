// The documentation site: the pages of docs/ as they are. `pnpm docs` builds it into docs/site/dist; a dead link fails it.
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

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
      page('Guides', '/guide/getting-started'),
      page('Reference', '/reference/actions'),
      page('Decisions', '/decisions/'),
    ],
    sidebar: [
      {
        text: 'Guides',
        items: [
          page('Getting started', '/guide/getting-started'),
          page('Client', '/guide/client'),
          page('Clients in other languages', '/guide/other-languages'),
          page('Operator', '/guide/operator'),
          page('Security', '/guide/security'),
          page('Login strategies', '/guide/strategies'),
          page('Plugin author', '/guide/plugin-author'),
          page('Embedder', '/guide/embedder'),
          page('Cluster', '/guide/cluster'),
        ].filter(({ link }) => existsSync(join(docs, `${link}.md`))),
      },
      {
        text: 'Reference',
        items: [
          page('Protocols', '/reference/protocols'),
          page('Documents', '/reference/documents'),
          page('Document metadata', '/reference/document-metadata'),
          page('Search language', '/reference/search'),
          page('Filter language', '/reference/filters'),
          page('Validation', '/reference/validation'),
          page('Memory store', '/reference/memory-store'),
          page('Users, rights, tokens', '/reference/security'),
          page('Actions', '/reference/actions'),
          page('Routes', '/reference/routes'),
          page('Errors', '/reference/errors'),
          page('Client', '/reference/client'),
          page('Events and notifications', '/reference/events'),
          page('Configuration', '/reference/configuration'),
          page('Analyzers', '/reference/analyzers'),
          page('Engine differences', '/reference/engine-differences'),
          page('OpenAPI and AsyncAPI', '/reference/api-description'),
        ],
      },
      {
        text: 'More',
        items: [
          page('Architecture', '/architecture'),
          page('Benchmarks', '/benchmarks'),
          page('Glossary', '/glossary'),
          page('Decisions', '/decisions/'),
        ],
      },
    ],
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
