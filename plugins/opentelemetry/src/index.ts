export { opentelemetryConfig, type OpentelemetryConfig } from './config.js';
export { opentelemetry } from './opentelemetry.js';
