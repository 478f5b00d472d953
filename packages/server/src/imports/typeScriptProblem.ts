/** Why this Node.js can't import a file, if it is TypeScript. */
export function typeScriptProblem(path: string): string | undefined {
  // `typescript` is absent where Node.js can't strip types.
  const { features } = process as { features?: { typescript?: unknown } };
  if (!/\.m?ts$/.test(path) || features?.typescript) return undefined;
  return `this Node.js (${process.version}) can't read TypeScript`;
}
