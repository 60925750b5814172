import type { Step } from "./journey.ts";
import { fieldAt, listAt, textAt } from "./object.ts";

/** A plugin's judgement of each node: a score, that it refuses it, or nothing. */
interface MatrixRow {
  readonly plugin: string;
  readonly reason: string;
  readonly cells: readonly (number | "refused" | undefined)[];
  /** Refused nodes whose names are not known. */
  readonly otherCount: number;
}

/** Plugins and nodes of one attempt to schedule a Pod. */
export interface Matrix {
  readonly nodes: readonly string[];
  readonly rows: readonly MatrixRow[];
  readonly others: boolean;
}

export const attemptsOf = (steps: readonly Step[]): Step[] =>
  steps.filter(({ layer, name }) => layer === "scheduling" && name === "attempt");

/** The matrix of an attempt's facts: refusals first, then the scores of the best nodes, with their totals last. */
export function matrixOf({ facts = {} }: Step): Matrix {
  const statuses = Object.entries((facts["statuses"] ?? {}) as object);
  const scores = listAt(facts, "scores");
  const nodes = [
    ...new Set([
      ...scores.map((score) => textAt(score, "node")),
      ...statuses.flatMap(([, status]) => listAt(status, "nodes").map(String)),
    ]),
  ].filter(Boolean);
  const refusals = statuses.map(([plugin, status]): MatrixRow => {
    const refused = listAt(status, "nodes").map(String);
    const count = Number(fieldAt(status, "count") ?? refused.length);
    return {
      plugin,
      reason: textAt(status, "reason"),
      cells: nodes.map((node) => (refused.includes(node) ? "refused" : undefined)),
      otherCount: Math.max(0, count - refused.length),
    };
  });
  const names = new Set(
    scores.flatMap((score) => Object.keys((fieldAt(score, "plugins") ?? {}) as object)),
  );
  const scoreOf = (node: string, plugin: string | undefined): number | undefined => {
    const score = scores.find((one) => textAt(one, "node") === node);
    const value =
      plugin === undefined ? fieldAt(score, "total") : fieldAt(score, "plugins", plugin);
    return typeof value === "number" ? value : undefined;
  };
  const scored = [...names].map((plugin): MatrixRow => {
    return { plugin, reason: "", cells: nodes.map((node) => scoreOf(node, plugin)), otherCount: 0 };
  });
  const total: MatrixRow[] =
    scores.length === 0
      ? []
      : [
          {
            plugin: "Σ",
            reason: "",
            cells: nodes.map((node) => scoreOf(node, undefined)),
            otherCount: 0,
          },
        ];
  return {
    nodes,
    rows: [...refusals, ...scored, ...total],
    others: refusals.some(({ otherCount }) => otherCount > 0),
  };
}
