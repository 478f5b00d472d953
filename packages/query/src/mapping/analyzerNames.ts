/** The names of the analyzers, in the order of section 5. */
export const ANALYZER_NAMES = ['standard', 'simple', 'whitespace', 'keyword', 'english'] as const;

/** The analyzers of section 5. */
export type AnalyzerName = (typeof ANALYZER_NAMES)[number];

/** Whether an analyzer of that name exists. */
export function checkAnalyzerName(name: string): name is AnalyzerName {
  return (ANALYZER_NAMES as readonly string[]).includes(name);
}
