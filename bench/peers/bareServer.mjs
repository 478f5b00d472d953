// What a program without a backend would be: koa, @koa/router and SQLite in one process. Documents are JSON in a table with indexes
// on two fields; each write is a transaction that is on disk before its answer.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { Router } from '@koa/router';
import { DatabaseSync } from '@photostructure/sqlite';

const folder = mkdtempSync(join(tmpdir(), 'bare-server-'));
const database = new DatabaseSync(join(folder, 'bare.db'));
database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536');
database.exec(`
  CREATE TABLE documents (id TEXT PRIMARY KEY, json TEXT NOT NULL);
  CREATE INDEX of_status ON documents (json_extract(json, '$.status'));
  CREATE INDEX of_quantity ON documents (json_extract(json, '$.quantity'));
`);
const select = database.prepare('SELECT json FROM documents WHERE id = ?');
const insert = database.prepare('INSERT INTO documents (id, json) VALUES (?, ?)');
const update = database.prepare('UPDATE documents SET json = json_patch(json, ?) WHERE id = ?');
const CONDITION = `json_extract(json, '$.status') = ? AND json_extract(json, '$.quantity') >= ? AND json_extract(json, '$.quantity') < ?`;
const search = database.prepare(`SELECT id, json FROM documents WHERE ${CONDITION} LIMIT 10`);
const count = database.prepare(`SELECT count(*) AS total FROM documents WHERE ${CONDITION}`);

const router = new Router();
router.get('/now', (context) => {
  context.body = { status: 200, error: null, result: { now: Date.now() } };
});
router.get('/documents/:id', (context) => {
  const row = select.get(context.params.id);
  if (row === undefined) return;
  context.body = { _id: context.params.id, _source: JSON.parse(row.json) };
});
router.post('/documents', async (context) => {
  const id = randomBytes(15).toString('base64url');
  const document = await bodyOf(context.req);
  insert.run(id, JSON.stringify(document));
  context.body = { _id: id, _source: document };
});
router.put('/documents/:id', async (context) => {
  update.run(JSON.stringify(await bodyOf(context.req)), context.params.id);
  context.body = { _id: context.params.id };
});
router.post('/bulk', async (context) => {
  const documents = await bodyOf(context.req);
  database.exec('BEGIN');
  const ids = documents.map((document) => {
    const id = randomBytes(15).toString('base64url');
    insert.run(id, JSON.stringify(document));
    return id;
  });
  database.exec('COMMIT');
  context.body = { ids };
});
router.post('/search', async (context) => {
  const { status, low, high } = await bodyOf(context.req);
  const hits = search.all(status, low, high).map(({ id, json }) => ({ _id: id, _source: JSON.parse(json) }));
  context.body = { total: count.get(status, low, high).total, hits };
});

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
  process.send({ port: server.address().port });
});
process.on('SIGTERM', () => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
