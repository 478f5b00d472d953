import { Worker } from 'node:worker_threads';

/*
 * The thread of the embedded engine's writer takes a seventh of a start. The `millrace` command starts it before it loads
 * the server's modules, which this file therefore doesn't import; the engine takes it when it starts.
 */
const ENGINE_OPTION = '--storage.engine';
const ENGINE_VARIABLE = 'MILLRACE_STORAGE_ENGINE';

let writer: Worker | undefined;

/**
 * Starts the thread if the arguments ask for a server, and neither they nor the environment name an engine. It opens
 * nothing by itself, and doesn't keep the process alive.
 */
export function startAhead(args: readonly string[]): void {
  const [first = '-'] = args;
  const isServer = first.startsWith('-') && !/^--?(?:h|help|version)$/.test(first);
  const isOption = (each: string) => each === ENGINE_OPTION || each.startsWith(`${ENGINE_OPTION}=`);
  if (!isServer || ENGINE_VARIABLE in process.env || args.some(isOption)) return;
  const worker = new Worker(new URL('./writer.worker.js', import.meta.resolve('@millrace/storage-sqlite')));
  // The engine then starts a thread by itself, and reports what fails.
  const forget = () => {
    if (writer === worker) writer = undefined;
  };
  worker.on('error', forget).on('exit', forget).unref();
  writer = worker;
}

/** @returns the thread, for one engine; undefined if there is none */
export function takeWriter(): Worker | undefined {
  const taken = writer;
  writer = undefined;
  taken?.removeAllListeners('error').removeAllListeners('exit').ref();
  return taken;
}

/** Ends the thread if no engine has taken it: the configuration file names another one. */
export function dropWriter(): void {
  void writer?.terminate();
  writer = undefined;
}
