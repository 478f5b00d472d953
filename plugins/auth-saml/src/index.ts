export { samlAuth, type SamlAuthOptions } from './samlAuth.js';
export type { SamlConfig } from './config.js';
export type { SamlProviderOptions } from './SamlSettings.js';
export { samlErrors } from './errors.js';
