export { opentelemetryConfig, type OpentelemetryConfig } from './config.js';
export { opentelemetry, opentelemetry as default } from './opentelemetry.js';
