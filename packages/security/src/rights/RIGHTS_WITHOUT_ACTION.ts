import type { ActionNames } from './ActionNames.js';

/** Rights that roles grant like those to actions, though there is no such action. */
export const RIGHTS_WITHOUT_ACTION: ActionNames = {
  /** To create and rotate API keys that don't expire (KEY-3). */
  security: ['createPermanentApiKey'],
};
