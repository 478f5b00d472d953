import { describe, expect, it } from 'vitest';
import { COMMANDS } from './COMMANDS.js';
import { runTestCommand } from './runTestCommand.test.support.js';

const run = (...args: readonly string[]) => runTestCommand(args);

describe('the command line', () => {
  it('CLI-1 describes each command, and itself', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    for (const { name, summary } of COMMANDS) {
      expect(stdout).toContain(summary);
      const help = await run(...name.split(' '), '--help');
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toContain(`millrace ${name}`);
      expect(help.stdout).toContain('Exit codes');
    }
  });

  it.each([
    [['config'], 'expected one of config show, config check'],
    [['config', 'shwo'], 'did you mean config show?'],
    [['strat'], 'did you mean start?'],
    [['tipes', '--url', 'x'], 'did you mean types?'],
    [['types', '--ulr', 'x'], 'did you mean url?'],
    [['types', 'more'], 'Unexpected argument "more"'],
    [['types', '--url'], '--url needs a value'],
    [['types', '--single=yes'], '--single takes no value'],
    [['types', '--http.port', '1'], 'Unknown option --http.port'],
    [['--htpp.port', '1'], 'did you mean http.port?'],
    [['start', '--http.port'], '--http.port needs a value'],
    [['--http.port', '--log.level', 'info'], '--http.port needs a value'],
    [['--porrt', '1'], 'Unknown option --porrt'],
  ])('CLI-2 exits with 2 for the wrong usage %j', async (args, words) => {
    const { code, stderr, stdout } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^millrace: .*\n$/);
    expect(stderr).toContain(words);
  });

  it('does not show what may be the rest of a secret', async () => {
    for (const args of [
      ['--security.jwt.secret', 'my', 'hush'],
      ['--security.jwt.secret:hush', 'x'],
    ]) {
      const { code, stderr } = await run(...args);
      expect(code).toBe(2);
      expect(stderr).not.toContain('hush');
    }
  });

  it('CLI-3 prints one JSON value with --json, errors included', async () => {
    const { code, stdout, stderr } = await run('types', '--json');
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toHaveProperty('error.message', expect.stringContaining('Unknown option --json'));
  });

  it.each([
    [['help'], ['--help']],
    [['-h'], ['--help']],
    [
      ['help', 'user', 'list'],
      ['user', 'list', '--help'],
    ],
    [
      ['backup', '-h'],
      ['backup', '--help'],
    ],
  ])('CLI-1 %j is %j', async (given, meant) => {
    expect(await run(...given)).toEqual(await run(...meant));
    expect((await run(...given)).code).toBe(0);
  });

  it('CLI-2 exits with 1 where a command fails', async () => {
    const { code, stderr } = await run('types', '--url', 'http://127.0.0.1:9');
    expect(code).toBe(1);
    expect(stderr).toContain('http://127.0.0.1:9 does not answer');
  });
});
