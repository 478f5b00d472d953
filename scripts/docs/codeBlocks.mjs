/**
 * The code blocks of a page.
 * @param {string} page Markdown
 * @returns {{ language: string, text: string, lead: string }[]} `lead`: the last line before the block
 */
export function codeBlocks(page) {
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(({ 1: language, 2: text, index }) => {
    const lead = page.slice(0, index).trimEnd();
    return { language, text, lead: lead.slice(lead.lastIndexOf('\n') + 1) };
  });
}
