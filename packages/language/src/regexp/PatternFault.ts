/** The reason why a pattern is refused; the filter parser adds the position. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
}
