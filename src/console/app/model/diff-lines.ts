/** A line of a comparison. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added" | "skipped";
  readonly text: string;
}

/** Limit of the lines between the first and the last change that are aligned (count): the table has its square. */
const maxAligned = 2000;

/** The lines that differ between two texts, with some lines around each; longer parts without changes are one line. */
export function diffLines(before: string, after: string, around = 3): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const shorter = Math.min(a.length, b.length);
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const middle = align(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (text: string): DiffLine => ({ kind: "same", text });
  const all = [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
  return withoutFarLines(all, around);
}

/** The longest common subsequence decides which lines are the same. */
function align(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (Math.max(a.length, b.length) > maxAligned) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      i += 1;
      j += 1;
    } else if (right === undefined || (left !== undefined && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(left ?? ""));
      i += 1;
    } else {
      lines.push(added(right));
      j += 1;
    }
  }
  return lines;
}

function withoutFarLines(lines: readonly DiffLine[], around: number): DiffLine[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind === "same") return;
    for (let near = index - around; near <= index + around; near++) isNear[near] = true;
  });
  const kept: DiffLine[] = [];
  lines.forEach((line, index) => {
    if (isNear[index]) kept.push(line);
    else if (kept.at(-1)?.kind !== "skipped") kept.push({ kind: "skipped", text: "⋯" });
  });
  return kept;
}
