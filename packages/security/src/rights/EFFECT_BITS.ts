import type { ActionEffect } from '@millrace/kernel';

/** A set of effects as one number. */
export const EFFECT_BITS: Readonly<Record<ActionEffect, number>> = {
  createsIndex: 1,
  createsCollection: 2,
  deletesIndex: 4,
  deletesCollection: 8,
};
