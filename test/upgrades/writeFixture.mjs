// Writes a data folder with the server of a checkout: see README.md.
// usage (in a built checkout): node bench/writeFixture.mjs FOLDER
import { Kernel } from '@millrace/server';
import { localAuth } from '@millrace/auth-local';

const [dataDir] = process.argv.slice(2);
const kernel = new Kernel({
  config: { http: { listen: false }, server: { dataDir }, log: { level: 'error' } },
  plugins: [localAuth()],
});
await kernel.start();
const admin = { user: { _id: 'ada', profileIds: ['admin'] } };

async function ask(controller, action, fields = {}) {
  const { status, error } = await kernel.execute({ controller, action, ...fields }, admin);
  if (status >= 300) throw new Error(`${controller}.${action}: ${status} ${error.message}`);
}

const lamps = { index: 'shop', collection: 'lamps' };
const mapping = {
  dynamic: 'strict',
  properties: { name: { type: 'text' }, watts: { type: 'integer' }, tags: { type: 'keyword' } },
};
await ask('index', 'create', { index: 'shop' });
await ask('collection', 'create', { ...lamps, body: mapping });
for (let n = 0; n < 20; n++) {
  const body = { name: `Lamp ${n} of the älteste kind`, watts: n, tags: [n % 2 ? 'odd' : 'even'] };
  await ask('document', 'create', { ...lamps, _id: `lamp-${n}`, body });
}
await ask('document', 'update', { ...lamps, _id: 'lamp-1', body: { watts: 100 } });
await ask('document', 'delete', { ...lamps, _id: 'lamp-2' });
await ask('collection', 'create', { index: 'shop', collection: 'empty', body: {} });

const password = 'a long password';
await ask('security', 'createFirstAdmin', { _id: 'ada', body: { password } });
const role = { controllers: { document: { actions: { search: true, get: true } } } };
await ask('security', 'createOrReplaceRole', { _id: 'reader', body: role });
const profile = { policies: [{ roleId: 'reader' }] };
await ask('security', 'createOrReplaceProfile', { _id: 'readers', body: profile });
await ask('security', 'createUser', { _id: 'bob', body: { profileIds: ['readers'], password } });

await ask('ms', 'set', { _id: 'text', body: { value: 'kept' } });
await ask('ms', 'hset', { _id: 'hash', body: { field: 'a', value: '1' } });
await ask('ms', 'rpush', { _id: 'list', body: { values: ['x', 'y'] } });
await ask('ms', 'set', { _id: 'gone', body: { value: 'deleted' } });
await ask('ms', 'del', { body: { keys: ['gone'] } });
await kernel.stop();
