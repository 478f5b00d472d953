export { httpConfig, type HttpConfig } from './config.js';
export {
  createHttpHandler,
  type HttpHandler,
  type HttpHandlerConfig,
  type HttpHandlerOptions,
} from './createHttpHandler.js';
export { httpErrors } from './errors.js';
export { httpModule } from './httpModule.js';
export { httpProtocol } from './httpProtocol.js';
export { spellingsOf } from './routing/spellingsOf.js';
