import { localAuth } from '@millrace/auth-local';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { sse } from '@millrace/protocol-sse';
import { websocket } from '@millrace/protocol-websocket';
import type { Plugin } from '@millrace/kernel';

/** The plugins shipped with this package: passwords, WebSocket, fallback, MQTT and server-sent events. */
export function shippedPlugins(): readonly Plugin[] {
  return [localAuth(), websocket(), fallback(), mqtt(), sse()];
}
