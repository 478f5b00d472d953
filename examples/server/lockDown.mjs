#!/usr/bin/env node
// Locks the running example server down: an administrator, an editor, and everyone else may read the city.
//   ADMIN_PASSWORD=… EDITOR_PASSWORD=… node examples/server/lockDown.mjs [url]      (default: http://127.0.0.1:7511)
// docs/guide/security.md goes through the calls one by one.
import { pathToFileURL } from 'node:url';

const READ = { get: true, mGet: true, search: true, scroll: true, count: true };

/** Allowed without a token: reading the city, receiving its changes, logging in. */
const READER = {
  indexes: {
    '*': {
      collections: {
        '*': {
          controllers: {
            auth: {
              actions: { login: true, checkToken: true, getCurrentUser: true, getMyRights: true },
            },
            server: { actions: { info: true, now: true, adminExists: true, healthCheck: true } },
            example: { actions: { map: true, script: true } },
          },
        },
      },
    },
    city: {
      collections: {
        '*': {
          controllers: {
            document: { actions: READ },
            realtime: { actions: { subscribe: true, join: true, unsubscribe: true, count: true } },
          },
        },
      },
    },
  },
};

/** What an editor may do: the same, and change documents of the city, but neither make nor empty a collection. */
const EDITOR = {
  indexes: {
    ...READER.indexes,
    '*': {
      collections: {
        '*': {
          controllers: {
            ...READER.indexes['*'].collections['*'].controllers,
            auth: { actions: { '*': true } },
          },
        },
      },
    },
    city: {
      _canDelete: false,
      collections: {
        _canCreate: false,
        '*': {
          _canDelete: false,
          controllers: {
            document: { actions: { '*': true } },
            realtime: { actions: { '*': true } },
          },
        },
      },
    },
  },
};

/**
 * @param {(method: string, path: string, body: object, jwt?: string) => Promise<any>} call runs a request, gives its result
 * @param {{admin: string, editor: string}} passwords
 */
export async function lockDown(call, { admin, editor }) {
  // From here on no user may do anything that no role allows.
  await call('POST', '/users/admin/_createFirstAdmin', { password: admin });
  const { jwt } = await call('POST', '/_login', { username: 'admin', password: admin });
  await call('PUT', '/roles/anonymous', READER, jwt);

  await call('PUT', '/roles/editor', EDITOR, jwt);
  await call('PUT', '/profiles/editor', { policies: [{ roleId: 'editor' }] }, jwt);
  await call('PUT', '/users/editor', { profileId: 'editor', password: editor }, jwt);
}

async function main([url = 'http://127.0.0.1:7511']) {
  const { ADMIN_PASSWORD: admin, EDITOR_PASSWORD: editor } = process.env;
  if (!admin || !editor) throw new Error('set ADMIN_PASSWORD and EDITOR_PASSWORD');
  const call = async (method, path, body, jwt) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(jwt && { authorization: `Bearer ${jwt}` }),
      },
      body: JSON.stringify(body),
    });
    const { error, result } = await response.json();
    if (error) throw new Error(`${method} ${path}: ${error.message}`);
    return result;
  };
  await lockDown(call, { admin, editor });
  console.log('Locked down: everyone reads the city, "editor" changes it, "admin" does everything.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
