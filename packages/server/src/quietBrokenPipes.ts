/**
 * Lets a process continue, or exit, silently when the reader of its output has closed the pipe (`millrace --help |
 * head`). Without a listener the EPIPE is an uncaught exception.
 */
export function quietBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
