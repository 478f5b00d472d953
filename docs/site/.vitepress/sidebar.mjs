// The sidebar: the tables of docs/README.md, one group each.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LISTED = ['guide', 'reference'];

/**
 * @param {string} docs the folder of the pages
 * @returns groups `{text, collapsed, items: [{text, link}]}` for VitePress
 * @throws Error naming a page that is in no table
 */
export function sidebarOf(docs) {
  const groups = [];
  for (const line of readFileSync(join(docs, 'README.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) groups.push({ text: line.slice(3), collapsed: false, items: [] });
    const [, text, path] = /^\| \[(.+?)\]\((?!\.\.)(.+?)\.md\) \|/.exec(line) ?? [];
    if (path === undefined) continue;
    groups.at(-1).items.push({ text, link: `/${path.replace(/README$/, '')}` });
  }
  const links = new Set(groups.flatMap(({ items }) => items.map(({ link }) => link)));
  for (const folder of LISTED) {
    for (const file of readdirSync(join(docs, folder))) {
      if (!links.has(`/${folder}/${file.replace(/\.md$/, '')}`))
        throw new Error(`docs/README.md: no table has ${folder}/${file}`);
    }
  }
  return groups.filter(({ items }) => items.length > 0);
}
