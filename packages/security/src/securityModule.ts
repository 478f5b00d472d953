import { RATE_LIMITS, SECURITY, type Module } from '@millrace/kernel';
import { securityConfig } from './config.js';
import { JOSE, PASSPORT } from './LIBRARIES.js';
import { ClientAddresses } from './login/ClientAddresses.js';
import { LIMITS_CONFIG, limitsConfig, type LimitsConfig } from './limits/limitsConfig.js';
import { RequestLimits } from './limits/RequestLimits.js';
import { registerSecurity } from './registerSecurity.js';
import { securityActions } from './securityActions.js';
import { SecurityLifecycle } from './SecurityLifecycle.js';
import { SecuritySharing } from './SecuritySharing.js';

/**
 * Users, profiles, roles, rights and tokens. If a plugin provides another `SECURITY`, this module registers nothing.
 */
export const securityModule: Module = {
  name: 'security',
  config: { security: securityConfig, limits: limitsConfig },
  libraries: [JOSE, PASSPORT],
  setup(host) {
    const { services } = host;
    if (services.isRegistered(SECURITY)) return;
    const own = services.createChildContainer();
    registerSecurity(own);
    own.registerInstance(LIMITS_CONFIG, host.settings.section<LimitsConfig>('limits'));
    services.register(SECURITY, { useFactory: () => own.resolve(SECURITY) });
    services.register(RATE_LIMITS, { useFactory: () => own.resolve(RequestLimits) });
    services.register(ClientAddresses, { useFactory: () => own.resolve(ClientAddresses) });
    host.actions(() => securityActions(own));
    host.component('shared security', () => own.resolve(SecuritySharing), 'receiver');
    host.component('security', () => own.resolve(SecurityLifecycle));
  },
};
