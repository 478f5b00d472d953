export { localAuth } from './localAuth.js';
export type { Algorithm, LocalAuthOptions, LocalConfig } from './config.js';
export { localErrors } from './errors.js';
