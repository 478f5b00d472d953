import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { denyOthers, makePrivateDirectory, memoryErrors, type Logger } from '@millrace/kernel';

/** Releases a folder. */
export type ReleaseFolder = () => Promise<void>;

/** Longest path of a socket that every system supports. */
const MAX_PATH_LENGTH = 100;
const ATTEMPTS = 3;
const SETTLE_MS = 20;

/**
 * Creates the folder if it is absent, denies other users access to it, and locks it for this engine: by listening on a
 * local socket in it, which the operating system closes with the process, however that ends. A socket that doesn't
 * answer was left by a process that died. Works between processes, between containers that share the folder, and within
 * one process.
 * @throws memory.unavailable naming the folder if it is in use or can't be written
 */
export async function acquireFolder(folder: string, logger: Logger): Promise<ReleaseFolder> {
  const path = resolve(folder);
  try {
    ownerOnlyFolder(path, logger);
  } catch (error) {
    throw refusal(`the folder "${path}" can't be used: ${(error as Error).message}`, error);
  }
  const socketPath = socketPathOf(path);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const server = await listen(socketPath, path);
    if (server !== undefined) {
      if (await isStillOurs(socketPath)) return () => close(server);
      await close(server);
    } else if (await isAnswered(socketPath)) {
      break;
    } else rmSync(socketPath, { force: true });
  }
  throw refusal(`the folder "${path}" is in use by another Millrace; one folder serves one at a time`);
}

/**
 * Creates a folder that only its owner can read. If it exists, removes other users' permissions from it and its files,
 * with one log line.
 * @throws if the folder can't be created
 */
export function ownerOnlyFolder(folder: string, logger: Logger): void {
  makePrivateDirectory(folder);
  const { closed } = denyOthers(folder);
  if (closed > 0) {
    logger.warn(
      { folder, repairedCount: closed },
      `memory store: other users could read "${folder}"; only its owner can from now on`,
    );
  }
}

function socketPathOf(folder: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\millrace-${shortHash(folder)}`;
  const inside = join(folder, 'lock.sock');
  return inside.length <= MAX_PATH_LENGTH ? inside : join(tmpdir(), `millrace-${shortHash(folder)}.sock`);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** @returns undefined if the socket already exists */
function listen(socketPath: string, folder: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(refusal(`the folder "${folder}" can't be used: ${error.message}`, error));
    });
    server.listen(socketPath, () => resolve(server));
  });
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Two engines that find the same dead socket may each remove it: the one whose own socket was removed has lost. */
async function isStillOurs(socketPath: string): Promise<boolean> {
  if (process.platform === 'win32') return true;
  const inode = await inodeOf(socketPath);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return inode !== undefined && (await inodeOf(socketPath)) === inode;
}

/**
 * Not with `statSync`: called on a socket, it leaves Node 20 unable to resolve linked packages that are imported later.
 */
async function inodeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.ino;
}

async function close(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

function refusal(reason: string, cause?: unknown): Error {
  return memoryErrors.unavailable({ reason }, cause === undefined ? {} : { cause });
}
