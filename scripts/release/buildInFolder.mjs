// Does the steps of a Dockerfile without a container engine: the root of each stage is a plain folder.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runIn } from './runIn.mjs';

/** Describe the image, or choose the system below it: nothing to do in a folder. */
const WITHOUT_STEP = ['LABEL', 'ARG', 'USER', 'VOLUME', 'EXPOSE', 'STOPSIGNAL'];

/**
 * Absolute paths, but those in /dev, are paths below the root. The owner of files is the user who runs this.
 * @param {string} context has the Dockerfile and the files that it copies
 * @param {string} folder gets the stages
 * @returns {{ root: string, cwd: string, environment: string[], entryPoint: string[], healthCheck: string[] }} of the last stage; commands and variables with the paths of the folder
 * @throws Error naming an instruction that isn't known here; with the output of a command that fails
 */
export function buildInFolder(context, folder) {
  const stages = new Map();
  let stage;
  const inStage = (text) => text.replace(/(?<=^|[\s="])\/(?!dev\/)/g, `${stage.root}/`);
  const steps = {
    FROM(rest) {
      const root = join(folder, `stage-${stages.size}`);
      mkdirSync(root, { recursive: true });
      stage = { root, cwd: root, environment: [] };
      stages.set(/ AS (\S+)$/.exec(rest)?.[1] ?? root, stage);
    },
    WORKDIR(rest) {
      stage.cwd = inStage(rest);
      mkdirSync(stage.cwd, { recursive: true });
    },
    COPY(rest) {
      const [, from, source, target] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest);
      const place = from === undefined ? context : stages.get(from).root;
      const to = target.endsWith('/') ? join(target, basename(source)) : target;
      cpSync(join(place, source), inStage(to), { recursive: true, verbatimSymlinks: true });
    },
    RUN(rest) {
      const command = rest.replace(/\bchown \d+:\d+/g, `chown ${process.getuid()}:${process.getgid()}`);
      runIn(stage.cwd, 'sh', '-ec', inStage(command));
    },
    ENV: (rest) => stage.environment.push(...inStage(rest).split(' ')),
    HEALTHCHECK: (rest) => (stage.healthCheck = JSON.parse(inStage(rest.slice(rest.indexOf('['))))),
    ENTRYPOINT: (rest) => (stage.entryPoint = JSON.parse(inStage(rest))),
  };
  for (const { name, rest } of readInstructions(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    if (WITHOUT_STEP.includes(name)) continue;
    if (steps[name] === undefined) throw new Error(`the instruction ${name} of the Dockerfile isn't known here`);
    steps[name](rest);
  }
  return stage;
}

/** Comments are left out, continued lines joined. */
export function readInstructions(dockerfile) {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .trim()
    .split(/\n+/);
  return lines.map((line) => {
    const [, name, rest] = /^(\S+)\s+(.*)$/.exec(line);
    return { name, rest: rest.replace(/\s+/g, ' ').trim() };
  });
}
