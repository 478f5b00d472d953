import type { Plugin } from '@millrace/kernel';
import { importOptional } from '../imports/importOptional.js';
import { shippedPlugins } from './shippedPlugins.js';

/**
 * The plugins of the `millrace` command: those shipped with this package, and `@millrace/auth-oauth2`,
 * `@millrace/auth-saml` and `@millrace/console` if they are installed.
 */
export async function installedPlugins(): Promise<readonly Plugin[]> {
  const [oauth2, saml, page] = await Promise.all([
    importOptional('@millrace/auth-oauth2', () => import('@millrace/auth-oauth2')),
    importOptional('@millrace/auth-saml', () => import('@millrace/auth-saml')),
    importOptional('@millrace/console', () => import('@millrace/console')),
  ]);
  return [
    ...shippedPlugins(),
    ...(oauth2 === undefined ? [] : [oauth2.oauth2Auth()]),
    ...(saml === undefined ? [] : [saml.samlAuth()]),
    ...(page === undefined ? [] : [page.adminConsole()]),
  ];
}
