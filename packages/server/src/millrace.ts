import { runProcess } from './runProcess.js';

void runProcess(process.argv.slice(2));
