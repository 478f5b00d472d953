// The side bars: the tables of docs/README.md by their headings, and the READMEs of the packages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageOf, root } from './pages.mjs';

const LISTED = ['guide', 'reference'];

/**
 * @returns groups `{text, items: [{text, link, about}]}` of docs/README.md; `about` is what its table says of the page
 * @throws Error naming a page that is in no table
 */
export function listedPages() {
  const docs = join(root, 'docs');
  const groups = [];
  for (const line of readFileSync(join(docs, 'README.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) groups.push({ text: line.slice(3), items: [] });
    const [, text, path, about] = /^\| \[(.+?)\]\((.+?\.md)\) \| (.+) \|$/.exec(line) ?? [];
    if (path === undefined) continue;
    groups.at(-1).items.push({ text, link: linkOf(pageOf(join('docs', path))), about });
  }
  const links = new Set(groups.flatMap(({ items }) => items.map(({ link }) => link)));
  for (const folder of LISTED) {
    for (const file of readdirSync(join(docs, folder))) {
      if (!links.has(linkOf(`${folder}/${file}`))) throw new Error(`docs/README.md: no table has ${folder}/${file}`);
    }
  }
  return groups.filter(({ items }) => items.length > 0);
}

/** Every published package: its name leads to its README. */
export function packagePages() {
  const folders = ['packages', 'plugins'].flatMap((place) =>
    readdirSync(join(root, place)).map((name) => join(place, name)),
  );
  return folders.flatMap((folder) => {
    const page = pageOf(join(folder, 'README.md'));
    if (page === undefined) return [];
    const { name, description } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return [{ text: name, link: linkOf(page), about: description }];
  });
}

/** One for guides, one for the reference, one for all other pages. */
export function sidebars() {
  const groups = listedPages();
  const sectionsOf = (name) =>
    groups
      .filter(({ text }) => text.startsWith(name))
      .map(({ text, items }) => ({
        text: capital(text.replace(`${name}: `, '')),
        items: items.map(withoutAbout),
      }));
  const packages = packagePages().map(withoutAbout);
  const reference = [
    { text: 'API explorer', link: '/api' },
    ...sectionsOf('Reference'),
    { text: 'Packages', items: packages },
  ];
  const about = [{ text: 'All pages', link: '/pages' }, ...sectionsOf('More').flatMap(({ items }) => items)];
  return {
    '/guide/': [...sectionsOf('Concepts'), ...sectionsOf('Guides')],
    '/reference/': reference,
    '/packages/': reference,
    '/plugins/': reference,
    '/': [{ text: 'About', items: about }],
  };
}

const linkOf = (page) => `/${page.replace(/(?:index)?\.md$/, '')}`;
const withoutAbout = ({ text, link }) => ({ text, link });
const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;
