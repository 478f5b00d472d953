import { localAuth } from '@millrace/auth-local';
import { oauth2Auth } from '@millrace/auth-oauth2';
import { samlAuth } from '@millrace/auth-saml';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { websocket } from '@millrace/protocol-websocket';
import type { Plugin } from '@millrace/kernel';

/** The plugins of the `millrace` command: everything of the interface that needs no settings of its own. */
export function shippedPlugins(): readonly Plugin[] {
  return [localAuth(), oauth2Auth(), samlAuth(), websocket(), fallback(), mqtt()];
}
