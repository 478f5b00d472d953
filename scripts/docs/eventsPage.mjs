import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { cell } from './table.mjs';

const SOURCE = new URL('../../packages/kernel/src/events/EventMap.ts', import.meta.url);

/** docs/reference/events.md: what plugins can hook, from the types; what subscribers receive, from the table of kinds. */
export function eventsPage(notifications) {
  return [
    '# Events and notifications',
    '',
    '## Events, for plugins',
    '',
    '`host.hook(event, run)` of a plugin runs `run` after the fact: it can neither change nor delay what happened, and what it throws is',
    'logged. An unknown event is refused at start.',
    '',
    '| event | when | what the hook gets |',
    '|---|---|---|',
    ...readEvents().map(({ name, doc, type }) => `| \`${name}\` | ${cell(doc)} | \`${cell(type)}\` |`),
    '',
    '## Notifications, for subscribers',
    '',
    'What comes on the channel of a subscription. Each is an envelope with `status` 200, `error` null, `requestId`, `controller`, `action`,',
    '`index`, `collection`, `metadata`, `state`, `scope`, `timestamp`, `result` and the `roomId` of its room; on WebSocket `room` holds the',
    'channel. Recorded changes also have `cursor`, those of a replay `replayed`, events of users `user`: `in` or `out`. [PROTO-80](protocols.md#notifications)',
    'describes each field. The names are those of the AsyncAPI document.',
    '',
    '| name | controller / action | state | scope | result | when |',
    '|---|---|---|---|---|---|',
    ...notifications.map(({ name, controller, action, state, scope, result, summary }) => {
      const members = Object.keys(result.properties ?? {}).map((each) => `\`${each}\``);
      const cells = [name, `${controller} / ${action}`, state, scope ?? '', members.join(', '), summary];
      return `| ${cells.map(cell).join(' | ')} |`;
    }),
    '',
  ].join('\n');
} // prettier-ignore

/** The members of `EventMap` with their comments; one without a comment shares that of the one before. */
function readEvents() {
  const text = readFileSync(SOURCE, 'utf8');
  const file = ts.createSourceFile('EventMap.ts', text, ts.ScriptTarget.Latest, true);
  const map = file.statements.find(
    (each) => ts.isInterfaceDeclaration(each) && each.name.text === 'EventMap',
  );
  let doc = '';
  return map.members.map((member) => {
    const comments = ts.getJSDocCommentsAndTags(member);
    if (comments.length > 0) doc = String(comments[0].comment ?? '');
    const type = member.type.getText(file).replaceAll(/\breadonly /g, '').replaceAll(/\s+/g, ' ');
    const shown = type === 'Readonly<Record<never, never>>' ? '{}' : type;
    return { name: member.name.text, doc, type: shown };
  });
} // prettier-ignore
