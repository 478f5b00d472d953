/** docs/reference/command-line.md: rules of the command line, and the help of each command. */
export function commandLinePage(commands) {
  return [
    '# Command line',
    '',
    'Made by `pnpm docs`. `npx millrace COMMAND`; the programs of `create-millrace` take the same commands.',
    '',
    '| command | |',
    '|---|---|',
    ...commands.map(
      ({ name, summary }) => `| [\`${name}\`](#${name.replaceAll(' ', '-')}) | ${summary} |`,
    ),
    '',
    '## Rules',
    '',
    '- **CLI-1** Without a command, `millrace` starts a server. `millrace --help` lists the commands, `millrace COMMAND --help` describes one.',
    '- **CLI-2** Exit codes: 0 done; 1 the command failed, or found something wrong; 2 wrong usage: an unknown command or option, a missing',
    '  or unexpected argument. The message names the nearest known command or option.',
    '- **CLI-3** With `--json`, standard output has exactly one JSON value: the result, or `{"error": {"message", "id"?, "status"?}}`. Without it, an',
    '  error is one line on standard error.',
    '',
    ...commands.flatMap(({ name, help }) => [
      `## ${name}`,
      '',
      '```text',
      help.trimEnd(),
      '```',
      '',
    ]),
  ].join('\n');
}
