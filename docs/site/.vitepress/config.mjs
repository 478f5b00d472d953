// The documentation site: the pages of docs/ and the READMEs of the packages as they are. `pnpm docs` builds it into docs/site/dist;
// a dead link fails it.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { NO_PAGES, pageOf, root, siteLink } from './pages.mjs';
import { sidebars } from './sidebar.mjs';
import { writeTextPages } from './textPages.mjs';

const readManifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const { version } = readManifest('packages/server');
const repository = readManifest('').repository?.url?.replace(/^git\+|\.git$/g, '');
const page = (text, link) => ({ text, link });

export default defineConfig({
  title: 'Millrace',
  description: 'A realtime backend in one process: documents, search, live queries, users and rights',
  lang: 'en',
  srcDir: '../..',
  srcExclude: NO_PAGES,
  outDir: './dist',
  rewrites: pageOf,
  // Pages work from any web server that serves `page.html` as `page.html`.
  cleanUrls: false,
  ignoreDeadLinks: [/^https?:\/\/(?:localhost|127\.0\.0\.1)/],
  lastUpdated: false,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }],
    ['link', { rel: 'alternate', type: 'text/plain', title: 'Pages for language models', href: '/llms.txt' }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    preConfig: (markdown) => {
      markdown.core.ruler.before('normalize', 'code-groups', groupCode);
      markdown.core.ruler.before('normalize', 'pictures', pickPicture);
    },
    config: (markdown) => {
      markdown.core.ruler.push('site-links', rewriteLinks);
      markdown.core.ruler.push('rule-ids', nameRules);
    },
  },
  // What scripts/buildSite.mjs puts there; a folder of this name is ignored by git and by every check.
  vite: { publicDir: fileURLToPath(new URL('./dist/public', import.meta.url)) },
  buildEnd: writeTextPages,
  themeConfig: {
    logo: { src: '/logo.svg', alt: '' },
    search: {
      provider: 'local',
      options: { _render: renderForSearch },
    },
    outline: [2, 3],
    nav: [
      { ...page('Guides', '/guide/quick-start'), activeMatch: '^/guide/' },
      { ...page('Reference', '/reference/protocols'), activeMatch: '^/(reference|packages|plugins)/' },
      page('API', '/api'),
      {
        ...page('About', '/pages'),
        activeMatch: '^/(pages|architecture|glossary|benchmarks|contributing|security|decisions)',
      },
      page(`v${version}`, '/changelog'),
    ],
    sidebar: sidebars(),
    ...(repository && {
      editLink: { pattern: ({ filePath }) => `${repository}/edit/main/${filePath}`, text: 'Edit this page' },
      socialLinks: [{ icon: 'github', link: repository }],
    }),
  },
});

/** A program that is directly followed by the same as a command becomes two tabs; in the repository they follow one another. */
function groupCode(state) {
  state.src = state.src.replaceAll(PROGRAM_AND_COMMAND, (_, program, command, lines) =>
    [
      '::: code-group',
      `\`\`\`ts [TypeScript]\n${program}\`\`\``,
      `\`\`\`sh [${TABS[command]}]\n${lines}\`\`\``,
      ':::',
    ].join('\n\n'),
  );
}

const PROGRAM_AND_COMMAND = /^```ts\n((?:(?!```).*\n)*)```\n\n```sh\n(?=(curl|npx millrace) )((?:(?!```).*\n)*)```$/gm;
const TABS = { curl: 'curl', 'npx millrace': 'Command line' };

/** `<picture>` follows the system; readers of the site choose its theme themselves. */
function pickPicture(state) {
  state.src = state.src.replaceAll(PICTURE, (_, dark, light) =>
    [
      light.replace('<img', '<img class="light-only"'),
      light.replace(/src="[^"]*"/, `class="dark-only" src="${dark}"`),
    ].join('\n'),
  );
}

const PICTURE = /<picture>\s*<source [^>]*srcset="([^"]*)">\s*(<img [^>]*>)\s*<\/picture>/g;

/** Files that the site doesn't hold are named, not linked, unless package.json has the address of the repository. */
function rewriteLinks({ tokens, env }) {
  for (const { children } of tokens) {
    let isOutside = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') isOutside = !rewriteLink(token, env.realPath);
      if (!isOutside || !token.type.startsWith('link_')) continue;
      token.tag = 'span';
      if (token.type === 'link_open') token.attrs = [];
    }
  }
}

/** The id of a rule, at the end of its paragraph, is small and can be linked: `protocols.html#PROTO-35`. */
function nameRules({ tokens }) {
  for (const { children } of tokens) {
    for (const [n, token] of (children ?? []).entries()) {
      const id = children[n + 1]?.content;
      if (token.type !== 'strong_open' || !/^[A-Z]+-\d+$/.test(id ?? '')) continue;
      token.attrSet('id', id);
      token.attrSet('class', 'rule-id');
    }
  }
}

/** @returns whether it is a link on the site */
function rewriteLink(token, path) {
  const href = token.attrGet('href') ?? '';
  const link =
    siteLink(href, path) ?? (repository && new URL(href, `${repository}/blob/main/${relative(root, path)}`).href);
  if (link !== undefined) token.attrSet('href', link);
  return link !== undefined;
}

/** Decisions and changes are for maintainers: they would be among the first results. */
function renderForSearch(source, env, markdown) {
  if (/^(?:docs\/decisions\/|CHANGELOG)/.test(env.relativePath)) return '';
  return markdown.render(source, { ...env, realPath: env.path });
}
