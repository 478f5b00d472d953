import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './CommandLine.js';

describe('parseCommandLine', () => {
  it('takes keys with a value behind a blank or an equals sign', () => {
    expect(
      parseCommandLine(['--http.port', '1', '--log.level=error', '--config', 'a.json']),
    ).toEqual({
      isHelp: false,
      isVersion: false,
      configFile: 'a.json',
      flags: { 'http.port': '1', 'log.level': 'error' },
    });
  });

  it('takes negative numbers and empty strings after an equals sign', () => {
    expect(parseCommandLine(['--a.b=-1', '--c.d=']).flags).toEqual({ 'a.b': '-1', 'c.d': '' });
  });

  it.each([
    [['start'], 'start'],
    [['--http.port'], '--http.port'],
    [['--a.b', '--c.d', '1'], '--a.b'],
  ])('refuses %j, naming what is wrong', (args, word) => {
    expect(() => parseCommandLine(args)).toThrow(word);
  });

  it('does not show what follows the value of a flag: it may be the rest of a secret', () => {
    const refuse = () => parseCommandLine(['--security.jwt.secret', 'my', 'hush']);
    expect(refuse).toThrow(/Unexpected argument after a flag/);
    expect(refuse).not.toThrow(/hush/);
  });

  it('finds --help and --version', () => {
    expect(parseCommandLine(['--help']).isHelp).toBe(true);
    expect(parseCommandLine(['--version']).isVersion).toBe(true);
  });
});
