export { fallbackConfig, type FallbackConfig } from './config.js';
export { fallback } from './fallback.js';
