/** Rows as lines with aligned columns. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  const lines = rows.map((row) =>
    row.map((cell, at) => cell.padEnd(at < row.length - 1 ? (widths[at] ?? 0) : 0)).join('  '),
  );
  return lines.map((line) => `${line}\n`).join('');
}
