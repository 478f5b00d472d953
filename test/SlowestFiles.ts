import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;
/** Of a quick file on an idle machine, in seconds: what takes longer is better split, made faster or heavy. */
const QUICK_BUDGET = 10;

/** Prints the slowest files of a run. No time fails a run: it depends on what else the machine does. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const slowest = modules
      .map((module) => ({ module, seconds: module.diagnostic().duration / 1_000 }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, SHOWN);
    console.log(`\nSlowest files (a quick one has a budget of ${QUICK_BUDGET} s):`);
    for (const { module, seconds } of slowest) {
      const isOver = module.project.name === 'quick' && seconds > QUICK_BUDGET;
      const remark = isOver ? '  over budget' : '';
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${module.relativeModuleId}${remark}`);
    }
  }
}
