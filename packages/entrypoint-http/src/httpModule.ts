import { ACTIONS, type Module } from '@millrace/kernel';
import { httpConfig, type HttpConfig } from './config.js';
import { httpProtocol } from './httpProtocol.js';

/** The HTTP entrypoint of a server. */
export const httpModule: Module = {
  name: 'http',
  config: { http: httpConfig },
  setup(host) {
    // The prefix of all routes (PROTO-28).
    host.services.resolve(ACTIONS).reserve('/api/1.0');
    host.protocol(httpProtocol(host.settings.section<HttpConfig>('http')));
  },
};
