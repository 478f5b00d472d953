// Written after the HTML: the Markdown of every page next to it, and llms.txt for language models. Checks all links of the HTML.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { listedPages, packagePages } from './sidebar.mjs';
import { siteLink } from './pages.mjs';

/** Larger pages are tables: llms-full.txt doesn't have them. */
const MAX_PAGE_BYTES = 50_000;
/** Of llms-full.txt: what the context of a large model holds. */
const MAX_FULL_BYTES = 900_000;

/** `buildEnd` of VitePress. @throws Error with all dead links */
export function writeTextPages({ srcDir, outDir, pages, rewrites, site }) {
  const texts = new Map();
  for (const source of pages) {
    const page = rewrites.map[source] ?? source;
    const text = withSiteLinks(readFileSync(join(srcDir, source), 'utf8'), join(srcDir, source));
    texts.set(`/${page}`, text);
    mkdirSync(dirname(join(outDir, page)), { recursive: true });
    writeFileSync(join(outDir, page), text);
  }
  const groups = [...listedPages(), { text: 'Packages', items: packagePages() }];
  const head = `# ${site.title}\n\n> ${site.description}\n`;
  writeFileSync(join(outDir, 'llms.txt'), `${head}\n${groups.map(toSection).join('\n')}\n## All of it\n\n${OTHERS}`);
  // Without pages for maintainers.
  const full = groups
    .filter(({ text }) => !['More', 'Packages'].includes(text))
    .flatMap(({ items }) => items.map(({ link }) => texts.get(fileOf(link))));
  writeFull(join(outDir, 'llms-full.txt'), [head, ...full.filter((text) => text.length <= MAX_PAGE_BYTES)].join('\n'));
  checkLinks(outDir);
}

const OTHERS = `- [llms-full.txt](/llms-full.txt): concepts, guides and reference in one file, without the largest tables
- [openapi.json](/openapi.json): every action over HTTP, OpenAPI 3.1
- [asyncapi.json](/asyncapi.json): every action and notification over WebSocket, socket.io and MQTT, AsyncAPI 3
`;

const fileOf = (link) => `${link.replace(/\/$/, '/index')}.md`;

function toSection({ text, items }) {
  const lines = items.map(
    (item) => `- [${item.text}](${fileOf(item.link)}): ${item.about.replace(/\]\([^)]*\)|\[/g, '')}`,
  );
  return [`## ${text}`, '', ...lines, ''].join('\n');
}

function writeFull(path, text) {
  if (text.length > MAX_FULL_BYTES)
    throw new Error(`${path} has ${text.length} characters, more than ${MAX_FULL_BYTES}`);
  writeFileSync(path, text);
}

/** Code stays as it is. */
function withSiteLinks(source, path) {
  return source.replace(/(^ *```[^]*?^ *```$)|\]\(([^)\s]+)\)/gm, (whole, code, href) =>
    code === undefined ? `](${siteLink(href, path) ?? href})` : whole,
  );
}

/** Its anchors are names of actions, which it reads itself. */
const EXPLORER = '/api.html';

/** Also of those in HTML and in the bars, which VitePress doesn't look at. */
function checkLinks(outDir) {
  const files = new Set(readdirSync(outDir, { recursive: true }).map((path) => `/${path}`));
  const pages = [...files].filter((path) => path.endsWith('.html') && path !== '/404.html');
  const anchors = new Map();
  const links = pages.flatMap((page) => {
    const html = readFileSync(join(outDir, page), 'utf8');
    if (page !== EXPLORER) anchors.set(page, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)));
    return [...html.matchAll(/ (?:href|src)="([^":]+)"/g)].map(([, href]) => ({
      page,
      href: href.replaceAll('&amp;', '&'),
    }));
  });
  const dead = links.filter(({ page, href }) => {
    const [path, anchor] = href.split('#').map(decodeURIComponent);
    const target = path === '' ? page : posix.resolve(dirname(page), path.endsWith('/') ? `${path}index.html` : path);
    return !files.has(target) || (anchor && !(anchors.get(target)?.has(anchor) ?? true));
  });
  if (dead.length > 0) throw new Error(`dead links:\n${dead.map(({ page, href }) => `${page}: ${href}`).join('\n')}`);
}
