#!/usr/bin/env node
import { runCreate } from '../dist/index.js';

const { stdin, stdout, stderr } = process;
const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
process.exitCode = await runCreate(process.argv.slice(2), {
  folder: process.cwd(),
  say: (text) => void stdout.write(`${text}\n`),
  complain: (text) => void stderr.write(`create-millrace: ${text}\n`),
  ...(isTerminal ? { dialogue: { input: stdin, output: stdout } } : undefined),
});
