import type { PlannedObject } from "./plan-all.ts";

/** A plan as a diff: + creates, - deletes, ~ changes; "no changes" if nothing would be done. */
export function planText(planned: readonly PlannedObject[]): string {
  const count = planned.reduce((sum, { actions }) => sum + actions.length, 0);
  const failed = planned.filter(({ error }) => error !== undefined).length;
  if (count === 0 && failed === 0) return "no changes\n";
  const failures = failed === 0 ? "" : `, ${failed} can't be planned`;
  const blocks = planned.map(({ object, actions, error }) => {
    if (error !== undefined) return `${object}\n  ! ${error}\n`;
    if (actions.length === 0) return `${object}\n    no change\n`;
    const lines = actions.map(({ call, params }) => `  ${signOf(call)} ${call}${shown(params)}\n`);
    return `${object}\n${lines.join("")}`;
  });
  const total = `${planned.length} objects, ${count} actions${failures}; nothing was changed\n`;
  return blocks.join("") + total;
}

const signs = [
  [/^(Create|Assign|Register|Authorize|Attach|Add|Initialize)/, "+"],
  [/^(Delete|Release|Deregister|Revoke|Detach|Remove)/, "-"],
] as const;

function signOf(call: string): string {
  const operation = call.slice(call.indexOf(":") + 1);
  return signs.find(([pattern]) => pattern.test(operation))?.[1] ?? "~";
}

const shown = (params: Readonly<Record<string, unknown>>): string =>
  Object.entries(params)
    .map(([name, value]) => `\n      ${name}: ${JSON.stringify(value)}`)
    .join("");
