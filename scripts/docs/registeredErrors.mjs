import * as http from '../../packages/entrypoint-http/dist/index.js';
import * as kernel from '../../packages/kernel/dist/index.js';
import * as local from '../../plugins/auth-local/dist/index.js';
import * as oauth2 from '../../plugins/auth-oauth2/dist/index.js';
import * as saml from '../../plugins/auth-saml/dist/index.js';
import * as sse from '../../plugins/protocol-sse/dist/index.js';

/**
 * The errors of all registries of the server and of the shipped plugins.
 * @returns `errors`: id → status; `twice`: ids that more than one registry defines
 */
export function registeredErrors() {
  const errors = new Map();
  const twice = [];
  const exported = { ...kernel, ...http, ...local, ...oauth2, ...saml, ...sse };
  for (const [name, registry] of Object.entries(exported)) {
    if (!/Errors$/.test(name) || typeof registry !== 'object') continue;
    for (const { id, status } of Object.values(registry)) {
      if (errors.has(id)) twice.push(id);
      errors.set(id, status);
    }
  }
  return { errors, twice };
}
