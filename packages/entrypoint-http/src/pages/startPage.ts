import { createHash } from 'node:crypto';
import { ICON } from './ICON.js';

/** The content of a start page. */
export interface StartPageParts {
  readonly serviceName: string;
  /** Paths of the GET routes; the page links those in `OFFERS`. */
  readonly paths: ReadonlySet<string>;
  /** Prepended to every link: empty, or the last segment of the page's path and a slash. */
  readonly prefix: string;
  /** Host and port as the browser sent them, for example commands. */
  readonly host: string;
}

/** Optional pages and documents of a server, in order of interest. */
const OFFERS = [
  ['/_console', 'Console', 'data, users and settings in the browser'],
  ['/_map', 'Live map', 'the stations of the example city, moving as they change'],
  ['/_openapi', 'OpenAPI', 'every HTTP route, for tools and client generators'],
  ['/_asyncapi', 'AsyncAPI', 'messages and notifications over WebSocket, MQTT and the fallback'],
  ['/_serverInfo', 'Server information', 'version, routes and services as JSON'],
  ['/_healthCheck', 'Health', 'state of each service as JSON'],
] as const;

const STYLE = `
:root{color-scheme:light dark;--text:#17252a;--soft:#55676d;--back:#f5f7f6;--card:#fff;--line:#d8e0dd;--accent:#0b6e75}
@media(prefers-color-scheme:dark){:root{--text:#e4ecea;--soft:#9fb1b1;--back:#101719;--card:#182225;--line:#2b393c;--accent:#5cc6c9}}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto;padding:3rem 1.25rem}
header{display:flex;gap:.9rem;align-items:center}
h1{font-size:1.6rem;margin:0}h2{font-size:1rem;margin:2rem 0 .6rem}
p{color:var(--soft);margin:.4rem 0}
ul{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:10px}
li{padding:.7rem 1rem;border-top:1px solid var(--line)}li:first-child{border-top:0}
a{color:var(--accent);font-weight:600;text-decoration:none}a:hover,a:focus-visible{text-decoration:underline}
li span{color:var(--soft);display:block;font-size:.9rem}
pre{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem;overflow-x:auto;font-size:.85rem}
`;

/** Lets the browser load nothing but this style and the icon. */
export const START_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The page for a browser at the root: a short description, and links. It contains nothing that anonymous callers may
 * not know.
 */
export function startPage({ serviceName, paths, prefix, host }: StartPageParts): string {
  const title = serviceName === 'millrace' ? 'Millrace' : `${escape(serviceName)} · Millrace`;
  const offers = OFFERS.filter(([path]) => paths.has(path)).map(
    ([path, name, what]) => `<li><a href="${escape(prefix)}${path.slice(1)}">${name}</a><span>${what}</span></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${escape(prefix)}favicon.ico">
<style>${STYLE}</style>
</head>
<body>
<main>
<header>${ICON}<h1>${title}</h1></header>
<p>A realtime backend: documents with search, live subscriptions, users and rights. This server is running.</p>
<h2>Look around</h2>
<ul>
${offers.join('\n')}
</ul>
<h2>Store a document, and find it</h2>
<pre><code>curl -X PUT '${escape(host)}/library/books/emma?refresh=wait_for' \\
  -H 'Content-Type: application/json' -d '{"title": "Emma"}'

curl -X POST ${escape(host)}/library/books/_search \\
  -H 'Content-Type: application/json' -d '{"query": {"match": {"title": "emma"}}}'</code></pre>
<p>Programs get JSON here: this page is for requests that accept <code>text/html</code>.</p>
</main>
</body>
</html>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
