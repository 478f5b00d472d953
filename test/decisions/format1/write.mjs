// Writes the fixture of this folder: the data folder of a server of commit ac4e622, whose database has format 1, and what that
// server answers to `questions.json`. Run once with a built worktree of that commit: `node write.mjs <worktree>`.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = import.meta.dirname;
const questions = JSON.parse(readFileSync(join(here, 'questions.json'), 'utf8'));
const worktree = process.argv[2];
const load = (path) => import(pathToFileURL(join(worktree, path)).href);
const { Kernel } = await load('packages/server/dist/index.js');
const { localAuth } = await load('plugins/auth-local/dist/index.js');
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-format1-'));
const config = { http: { port: 0 }, server: { dataDir }, log: { level: 'error' } };
const kernel = new Kernel({ config, plugins: [localAuth()] });
const [{ url }] = await kernel.start();

const session = {};
const ask = async (method, path, body) => {
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(session.jwt !== undefined && { authorization: `Bearer ${session.jwt}` }),
  };
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(`${url}${path}`, { method, headers, body: sent });
  const answer = await response.json();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.error)}`);
  return answer.result;
};

await ask('POST', '/users/root/_createFirstAdmin', { password: 'river-mill-1' });
const { jwt } = await ask('POST', '/_login/local', { username: 'root', password: 'river-mill-1' });
session.jwt = jwt;
await ask('PUT', '/city/stations', {
  properties: {
    name: { type: 'text', fields: { raw: { type: 'keyword' } } },
    line: { type: 'keyword' },
    at: { type: 'geo_point' },
    opened: { type: 'date' },
    platforms: { type: 'nested', properties: { number: { type: 'integer' } } },
  },
});
const bulkData = [];
for (let n = 0; n < 300; n++) {
  bulkData.push({ index: { _id: `s${n}` } });
  bulkData.push({
    name: `${['North', 'South', 'Old', 'Mill'][n % 4]} station ${n}`,
    line: ['red', 'green', 'blue'][n % 3],
    at: { lat: (n % 90) - 45, lon: (n % 180) - 90 },
    opened: new Date(Date.UTC(1900, n, 1)).toISOString(),
    platforms: Array.from({ length: n % 3 }, (_, i) => ({ number: i + 1 })),
    passengers: n * 7,
  });
}
await ask('POST', '/city/stations/_bulk', { bulkData });
for (let n = 0; n < 300; n += 10) await ask('PUT', `/city/stations/s${n}/_update`, { closed: true });
await ask('PUT', '/city/stations/s10/_replace', {
  name: 'Replaced',
  text: 'mill race '.repeat(900),
});
await ask('DELETE', '/city/stations/s299');
await ask('POST', '/city/stations/%C3%BC%F0%9F%98%80/_create', { name: 'Überführung' });
await ask('POST', '/city/lines/red/_create', { colour: '#f00' });
await ask('POST', '/city/lines/green/_create', { colour: '#0f0' });
await ask('DELETE', '/city/lines/_truncate');
await ask('POST', '/city/lines/blue/_create', { colour: '#00f' });
await ask('PUT', '/_specifications', {
  city: { lines: { fields: { colour: { type: 'string' } } } },
});

const answers = [];
for (const [method, path, body] of questions) answers.push(await ask(method, path, body));
await kernel.stop();

const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
const content = Object.fromEntries(
  files.map((file) => [file.slice(dataDir.length + 1), readFileSync(file).toString('base64')]),
);
console.log(
  Object.entries(content)
    .map(([name, text]) => `${name}: ${text.length}`)
    .join('\n'),
);
writeFileSync(join(here, 'dataFolder.json.gz'), gzipSync(JSON.stringify({ files: content, answers }), { level: 9 }));
