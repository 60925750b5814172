import { escapeTerminal } from "../../printers/escape-terminal.ts";

/** The fields in which two objects differ, as lines: what was, and what is. Pure. */
export function differences(before: unknown, after: unknown): readonly string[] {
  const lines: string[] = [];
  compare(before, after, "", lines);
  return lines.map(escapeTerminal);
}

function compare(before: unknown, after: unknown, path: string, lines: string[]): void {
  if (isBranch(before) && isBranch(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const name of names) {
      const step = Array.isArray(after) ? `[${name}]` : `.${name}`;
      const [from, to] = [before, after].map((value) => (value as Record<string, unknown>)[name]);
      compare(from, to, path + step, lines);
    }
    return;
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  if (before !== undefined) lines.push(`-${path}: ${JSON.stringify(before)}`);
  if (after !== undefined) lines.push(`+${path}: ${JSON.stringify(after)}`);
}

const isBranch = (value: unknown): value is object => typeof value === "object" && value !== null;
