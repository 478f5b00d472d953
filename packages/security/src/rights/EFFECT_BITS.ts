import type { ActionEffect } from '@millrace/kernel';

/** One bit per effect, so that a number represents a set of effects. */
export const EFFECT_BITS: Readonly<Record<ActionEffect, number>> = {
  createsIndex: 1,
  createsCollection: 2,
  deletesIndex: 4,
  deletesCollection: 8,
};
