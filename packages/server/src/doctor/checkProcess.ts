import { fault, ok, warning, type Finding } from './Finding.js';

const MIN_NODE = [20, 19] as const;
/** Each connection and each file needs one. */
const MIN_DESCRIPTORS = 4_096;
const MIN_HEAP_BYTES = 512 * 2 ** 20;
const MIB = 2 ** 20;

/** What the process got from its machine. */
export interface ProcessFacts {
  /** Such as `v20.19.0`. */
  readonly nodeVersion: string;
  /** Undefined: unlimited, or not known. */
  readonly descriptors: number | undefined;
  readonly heapLimit: number;
  /** Bytes of memory that the machine or the container has; 0: not known. */
  readonly memoryLimit: number;
}

/** Version of Node.js, and limits of the process. */
export function checkProcess(facts: ProcessFacts): readonly Finding[] {
  return [checkNode(facts.nodeVersion), checkDescriptors(facts.descriptors), checkMemory(facts)];
}

function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  const isOld = major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1]);
  if (!isOld) return ok('node-version', `Node.js ${version}`);
  return fault('node-version', `Node.js ${version}`, `Install Node.js ${MIN_NODE.join('.')} or later`);
}

function checkDescriptors(descriptors: number | undefined): Finding {
  const id = 'descriptor-limit';
  if (descriptors === undefined) return ok(id, 'no limit of open files');
  const saw = `at most ${descriptors} open files, each connection is one`;
  if (descriptors >= MIN_DESCRIPTORS) return ok(id, saw);
  return warning(id, saw, 'Raise it: ulimit -n 65536, or LimitNOFILE=65536 of systemd');
}

function checkMemory({ heapLimit, memoryLimit }: ProcessFacts): Finding {
  const id = 'memory-limit';
  const saw = `heap limit ${Math.round(heapLimit / MIB)} MiB, memory ${Math.round(memoryLimit / MIB)} MiB`;
  if (memoryLimit > 0 && heapLimit > memoryLimit) {
    const size = Math.floor((memoryLimit * 0.75) / MIB);
    const mend = `The process is killed before the heap is full: set NODE_OPTIONS=--max-old-space-size=${size}`;
    return warning(id, saw, mend);
  }
  if (heapLimit >= MIN_HEAP_BYTES) return ok(id, saw);
  return warning(id, saw, 'Give the server 512 MiB or more: NODE_OPTIONS=--max-old-space-size=1024');
}
