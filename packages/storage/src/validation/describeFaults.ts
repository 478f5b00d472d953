/** The `description` that accompanies the `details` of an invalid specification; empty if there are no faults. */
export function describeFaults(faults: readonly string[]): string {
  if (faults.length === 0) return '';
  return faults.length === 1
    ? 'The specifications are badly formed: 1 fault, see details.'
    : `The specifications are badly formed: ${faults.length} faults, see details.`;
}
