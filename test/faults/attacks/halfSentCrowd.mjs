import { sendHalf } from './halfSentBodies.mjs';

const CONNECTION_COUNT = 400;

/** The same from 400 connections. */
export const halfSentCrowd = {
  finding: 'C1',
  run: (attacker) => attacker.crowd(CONNECTION_COUNT, () => sendHalf(attacker)),
};
