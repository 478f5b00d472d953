export { oauth2Auth, type OAuth2AuthOptions } from './oauth2Auth.js';
export type { OAuth2Config } from './config.js';
export type { ProviderOptions } from './ProviderSettings.js';
export { oauth2Errors } from './errors.js';
