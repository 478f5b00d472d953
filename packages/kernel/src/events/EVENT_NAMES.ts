import type { EventMap, EventName } from './EventMap.js';

/** Every event, so that a misspelt name can be refused. */
const EVENTS: Readonly<Record<keyof EventMap, true>> = {
  'request.started': true,
  'request.ended': true,
  'connection.opened': true,
  'connection.closed': true,
  'document.afterWrite': true,
  'collection.emptied': true,
  'auth.loggedIn': true,
  'auth.loginFailed': true,
  'auth.loggedOut': true,
  'auth.tokenRefreshed': true,
  'auth.tokensRevoked': true,
  'security.userChanged': true,
  'security.profileChanged': true,
  'security.roleChanged': true,
  'security.apiKeyChanged': true,
  'security.changedElsewhere': true,
  'auth.tokenRefreshedElsewhere': true,
  'security.denied': true,
  'server.started': true,
  'server.stopping': true,
};

/** The names of all events. */
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];
