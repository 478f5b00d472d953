/** Why a pattern is refused; the filter parser adds where. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
}
