import type { Module } from '@millrace/kernel';
import type { InjectionToken } from 'tsyringe';
import { moveActions } from './moveActions.js';
import type { Moves } from './Moves.js';

/** Moves the data between engines. Not registered if the configured engine can't move. */
export const MOVES: InjectionToken<Moves> = Symbol('Moves');

/** The actions of moves. */
export const moveModule: Module = {
  name: 'move',
  setup(host) {
    const { services } = host;
    host.actions(() => {
      return moveActions(services.isRegistered(MOVES) ? services.resolve(MOVES) : undefined);
    });
  },
};
