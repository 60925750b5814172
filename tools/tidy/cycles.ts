import { type Edge, folderOf, importEdges } from "./import-graph.ts";
import type { Finding, SourceFile } from "./source-file.ts";

/** No folder of src imports, directly or indirectly, a folder that imports it. Types count. */
export function checkFolderCycles(files: readonly SourceFile[]): Finding[] {
  const edges = importEdges(files).filter(({ from, to }) => folderOf(from) !== folderOf(to));
  return findingsOf(edges, folderOf, "folders import each other");
}

/** No two files import each other's values. */
export function checkFileCycles(files: readonly SourceFile[]): Finding[] {
  const edges = importEdges(files).filter(({ typeOnly, dynamic }) => !typeOnly && !dynamic);
  return findingsOf(edges, (path) => path, "files import each other");
}

/** One finding per cycle, at the import that is the only one of its kind, or else at the first. */
function findingsOf(
  edges: readonly Edge[],
  nodeOf: (path: string) => string,
  problem: string,
): Finding[] {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const targets = graph.get(nodeOf(from)) ?? new Set();
    graph.set(nodeOf(from), targets.add(nodeOf(to)));
  }
  return connected(graph)
    .filter((members) => members.size > 1)
    .flatMap((members) => {
      const inside = edges.filter(
        ({ from, to }) => members.has(nodeOf(from)) && members.has(nodeOf(to)),
      );
      const found = rarest(inside, nodeOf);
      if (!found) return [];
      const names = [...members].sort().join(", ");
      const message = `${problem}: ${names}; cut ${nodeOf(found.from)} -> ${nodeOf(found.to)}, or another of them`;
      return [{ path: found.from, line: found.line, message }];
    });
}

function rarest(edges: readonly Edge[], nodeOf: (path: string) => string): Edge | undefined {
  const pair = ({ from, to }: Edge): string => `${nodeOf(from)} ${nodeOf(to)}`;
  const counts = new Map<string, number>();
  for (const edge of edges) counts.set(pair(edge), (counts.get(pair(edge)) ?? 0) + 1);
  return edges.toSorted((a, b) => (counts.get(pair(a)) ?? 0) - (counts.get(pair(b)) ?? 0))[0];
}

/** The strongly connected parts of a graph (Tarjan's algorithm). */
export function connected(graph: ReadonlyMap<string, ReadonlySet<string>>): Set<string>[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const parts: Set<string>[] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    stack.push(node);
    let low = index;
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next))
        low = Math.min(low, lowest.get(next) ?? order.get(next) ?? low);
    }
    lowest.set(node, low);
    if (low === index) parts.push(new Set(stack.splice(stack.indexOf(node))));
    return low;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return parts;
}
