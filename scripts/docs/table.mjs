/** Text in one line of Markdown. Angle brackets would be HTML to the site. */
export function plain(text) {
  return String(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/<(?!br>)/g, '&lt;');
}

/** Text as a cell of a Markdown table. */
export function cell(text) {
  return plain(text).replaceAll('|', '\\|');
}
