/**
 * A unified diff of two texts with three lines of context, as some messages contain.
 *
 * Upstream: go-difflib (itself after Python's difflib).
 */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split("\n");
  const b = after.split("\n");
  let text = "";
  for (const group of groupEdits(edits(a, b))) {
    const first = group.at(0);
    const last = group.at(-1);
    if (!first || !last) continue;
    const removed = formatRange(first.aStart, last.aEnd);
    text += `@@ -${removed} +${formatRange(first.bStart, last.bEnd)} @@\n`;
    for (const edit of group) {
      for (const line of a.slice(edit.aStart, edit.aEnd))
        text += `${edit.same ? " " : "-"}${line}\n`;
      if (edit.same) continue;
      for (const line of b.slice(edit.bStart, edit.bEnd)) text += `+${line}\n`;
    }
  }
  return text;
}

const contextLines = 3;

/** A run of equal lines, or of lines that replace others. */
interface Edit {
  readonly same: boolean;
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** Limit of the comparisons of two lines (count): the search is quadratic, and repeated for each block. */
const maxComparisons = 1_000_000;

function edits(a: readonly string[], b: readonly string[]): Edit[] {
  const blocks =
    a.length * b.length > maxComparisons
      ? outerBlocks(a, b)
      : [...matchingBlocks(a, b, [0, a.length], [0, b.length])];
  const result: Edit[] = [];
  let [i, j] = [0, 0];
  for (const block of [...joined(blocks), { a: a.length, b: b.length, size: 0 }]) {
    if (i < block.a || j < block.b) {
      result.push({ same: false, aStart: i, aEnd: block.a, bStart: j, bEnd: block.b });
    }
    i = block.a + block.size;
    j = block.b + block.size;
    if (block.size > 0) {
      result.push({ same: true, aStart: block.a, aEnd: i, bStart: block.b, bEnd: j });
    }
  }
  return result;
}

/** The equal lines at the start and at the end of long texts; all between them counts as changed. */
function outerBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [
    { a: 0, b: 0, size: start },
    { a: a.length - end, b: b.length - end, size: end },
  ].filter(({ size }) => size > 0);
}

/** Merges adjacent blocks. */
function joined(blocks: readonly Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (last && last.a + last.size === block.a && last.b + last.size === block.b) {
      result[result.length - 1] = { ...last, size: last.size + block.size };
    } else result.push(block);
  }
  return result;
}

type Range = readonly [start: number, end: number];

function* matchingBlocks(
  a: readonly string[],
  b: readonly string[],
  inA: Range,
  inB: Range,
): Generator<Block, void> {
  const best = longestMatch(a, b, inA, inB);
  if (best.size === 0) return;
  yield* matchingBlocks(a, b, [inA[0], best.a], [inB[0], best.b]);
  yield best;
  yield* matchingBlocks(a, b, [best.a + best.size, inA[1]], [best.b + best.size, inB[1]]);
}

/** The longest common run; of several, the first in a, then the first in b. */
function longestMatch(a: readonly string[], b: readonly string[], inA: Range, inB: Range): Block {
  let best: Block = { a: inA[0], b: inB[0], size: 0 };
  let lengths = new Map<number, number>();
  for (let i = inA[0]; i < inA[1]; i++) {
    const next = new Map<number, number>();
    for (let j = inB[0]; j < inB[1]; j++) {
      if (a[i] !== b[j]) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  return best;
}

/** Groups edits with their context; edits that are close together share a group. */
function groupEdits(all: readonly Edit[]): Edit[][] {
  const groups: Edit[][] = [[]];
  all.forEach((edit, index) => {
    const group = groups.at(-1) ?? [];
    const length = edit.aEnd - edit.aStart;
    const isFirst = index === 0;
    const isLast = index === all.length - 1;
    if (!edit.same) group.push(edit);
    else if (isFirst && isLast) return;
    else if (isFirst) group.push(tail(edit));
    else if (isLast) group.push(head(edit));
    else if (length > 2 * contextLines) {
      group.push(head(edit));
      groups.push([tail(edit)]);
    } else group.push(edit);
  });
  return groups.filter((group) => group.some(({ same }) => !same));
}

const head = (edit: Edit): Edit => ({
  ...edit,
  aEnd: Math.min(edit.aEnd, edit.aStart + contextLines),
  bEnd: Math.min(edit.bEnd, edit.bStart + contextLines),
});

const tail = (edit: Edit): Edit => ({
  ...edit,
  aStart: Math.max(edit.aStart, edit.aEnd - contextLines),
  bStart: Math.max(edit.bStart, edit.bEnd - contextLines),
});

function formatRange(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}
