import 'reflect-metadata';

export { securityModule } from './securityModule.js';
export { ClientAddresses } from './login/ClientAddresses.js';
export { securityConfig, SECURITY_CONFIG, type SecurityConfig } from './config.js';
export { limitsConfig, PRODUCTION_ANONYMOUS_RATE } from './limits/limitsConfig.js';
export { MillraceSecurity } from './MillraceSecurity.js';
export { SecurityCaches } from './SecurityCaches.js';

// For checking roles and evaluating rights without a server, as `millrace role check` and `pnpm bench rights` do.
export { compileRights } from './rights/compileRights.js';
export { parsePolicies } from './rights/parsePolicies.js';
export { parseRole } from './rights/parseRole.js';
export { unknownNames } from './roles/unknownNames.js';

// For `millrace login`.
export { decodeToken } from './tokens/decodeToken.js';

// For restored backups.
export { endAllSessions } from './accounts/endAllSessions.js';
