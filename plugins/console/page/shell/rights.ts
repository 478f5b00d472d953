/** One line of `auth.getMyRights`. */
export interface Right {
  readonly controller: string;
  readonly action: string;
  readonly index: string;
  readonly collection: string;
  readonly value: 'allowed' | 'conditional' | 'denied';
}

const LEVELS = ['index', 'collection', 'controller', 'action'] as const;

/**
 * What the user may do, to hide what the server would refuse. The server decides in any case: this is a guess from the
 * list of rights, where the line with the most exact names counts.
 */
export class Rights {
  private readonly lines: readonly Right[];

  constructor(lines: readonly Right[]) {
    // Both names are one controller (MEM-1).
    this.lines = lines.map((line) => (line.controller === 'ms' ? { ...line, controller: 'memoryStorage' } : line));
  }

  /** @param action such as `document.search` */
  may(action: string, index = '*', collection = '*'): boolean {
    const [controller = '', name = ''] = action.split('.');
    const asked = { controller, action: name, index, collection };
    const fitting = this.lines.filter((line) =>
      LEVELS.every((level) => line[level] === '*' || line[level] === asked[level]),
    );
    const exactness = (line: Right) =>
      LEVELS.reduce((sum, level, position) => sum + (line[level] === '*' ? 0 : 8 >> position), 0);
    const [best] = fitting.sort((a, b) => exactness(b) - exactness(a));
    return best !== undefined && best.value !== 'denied';
  }

  /** Whether the action is allowed on any index or collection. */
  mayAnywhere(action: string): boolean {
    const [controller = '', name = ''] = action.split('.');
    return this.lines.some(
      (line) =>
        line.value !== 'denied' &&
        (line.controller === '*' || line.controller === controller) &&
        (line.action === '*' || line.action === name),
    );
  }
}
