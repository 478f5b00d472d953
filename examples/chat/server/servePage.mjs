import { readFileSync, readdirSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'";

/** Serves the files of a folder, read once, with `/` for index.html. */
export function servePage(folder) {
  const files = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length).split(sep).join('/'), readFileSync(path));
  }
  return (request, response) => {
    const [path] = request.url.split('?');
    const name = path === '/' ? '/index.html' : path;
    const content = files.get(name);
    if (content === undefined) return response.writeHead(404).end('Not found');
    response.writeHead(200, {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      'Content-Security-Policy': POLICY,
      // Vite names assets by their content.
      'Cache-Control': name.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
    });
    response.end(content);
  };
}
