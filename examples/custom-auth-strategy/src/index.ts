export { apiKeyAuth } from './apiKeyAuth.js';
export { apiKeyErrors } from './errors.js';
