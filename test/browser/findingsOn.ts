import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** The serious and critical findings of axe-core on a page, each with its first elements. */
export async function findingsOn(page: Page): Promise<readonly string[]> {
  // Evaluated as a string: a script element would break the policy of some pages.
  await page.evaluate(axe.source);
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  const { violations } = found as { readonly violations: readonly Finding[] };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 200))
          .join(' | ')}`,
    );
}
