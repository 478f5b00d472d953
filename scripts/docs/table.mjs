/** Text as a cell of a Markdown table. Angle brackets would be HTML to the site. */
export function cell(text) {
  return String(text)
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/<(?!br>)/g, '&lt;');
}
