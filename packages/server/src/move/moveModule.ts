import type { Module } from '@millrace/kernel';
import { MOVES } from '../modules/SERVER_TOKENS.js';
import { moveActions } from './moveActions.js';

/** Moves of the data between storage engines. */
export const moveModule: Module = {
  name: 'move',
  setup(host) {
    const { services } = host;
    host.actions(() => {
      return moveActions(services.isRegistered(MOVES) ? services.resolve(MOVES) : undefined);
    });
  },
};
