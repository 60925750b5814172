import type { PartStart } from "../parts/part-start.ts";

/** The parts of a program as they run, and as they will. */
interface ProgramChange {
  readonly program: string;
  readonly before: readonly PartStart[];
  readonly after: readonly PartStart[];
}

/** What a program's restart is for, a line each; none if it does not restart. Pure. */
export function planChanges({ program, before, after }: ProgramChange): string[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  const lines = names.flatMap((name) =>
    partChanges(
      before.find((part) => part.name === name),
      after.find((part) => part.name === name),
    ).map((change) => `${name}: ${change}`),
  );
  return lines.length === 0
    ? []
    : [`restart of the ${program}:`, ...lines.map((line) => `  ${line}`)];
}

function partChanges(before: PartStart | undefined, after: PartStart | undefined): string[] {
  if (!before) return ["starts"];
  if (!after) return ["stops"];
  const removed = before.args.filter((arg) => !after.args.includes(arg));
  const added = after.args.filter((arg) => !before.args.includes(arg));
  const files = after.files.filter(
    ({ path, text }) => before.files.find((file) => file.path === path)?.text !== text,
  );
  return [
    ...removed.map((arg) => `- ${arg}`),
    ...added.map((arg) => `+ ${arg}`),
    // Its content may be secret.
    ...files.map(({ path }) => `~ ${path}`),
  ];
}
