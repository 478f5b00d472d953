/**
 * Measures both sides one after the other, beginning with the other one in every second round, so that neither always
 * finds the machine as the other left it.
 * @returns the figures `[ours, peer]`
 */
export async function inTurn(round, { ours, peer }) {
  if (round % 2 === 0) return [await ours(), await peer()];
  const theirs = await peer();
  return [await ours(), theirs];
}
