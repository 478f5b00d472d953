import 'reflect-metadata';

export { securityConfig, SECURITY_CONFIG, type SecurityConfig } from './config.js';
export { MillraceSecurity } from './MillraceSecurity.js';
export { registerSecurity } from './registerSecurity.js';
export { securityActions } from './securityActions.js';
export { SecurityCaches } from './SecurityCaches.js';
export { securityLifecycles } from './securityLifecycles.js';
