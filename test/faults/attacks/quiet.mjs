/** No attack: what the machine itself costs the honest client. */
export const quiet = {
  finding: '–',
  run: (attacker) => attacker.pause(Number.POSITIVE_INFINITY),
};
