import type { ActionNames } from './ActionNames.js';

/** What an API key can't be used for: it would outlive its limits, or take over the account (KEY-4). */
export const REFUSED_TO_API_KEYS: ActionNames = {
  auth: [
    'createApiKey', 'rotateApiKey', 'deleteApiKey', 'refreshToken', 'updateSelf', 'createMyCredentials',
    'updateMyCredentials', 'deleteMyCredentials',
  ],
  security: ['createApiKey', 'rotateApiKey', 'deleteApiKey'],
}; // prettier-ignore
