import assert from "node:assert/strict";
import { test } from "node:test";
import { occupied, testNode } from "#/testing/scheduler-objects.ts";
import { explainRejections, explainScores } from "./explain-nodes.ts";
import { Explanations } from "./explanation.ts";
import { newDiagnosis } from "./framework/fit-error.ts";
import { reject } from "./framework/rejection.ts";
import { addRow, type ScoreTable } from "./framework/score-run.ts";

test("explainRejections() groups nodes by rejection", () => {
  const diagnosis = newDiagnosis(3);
  diagnosis.rejections.set("a", reject("Fit", "Insufficient cpu"));
  diagnosis.rejections.set("b", reject("Taints", "tainted"));
  diagnosis.rejections.set("c", reject("Fit", "Insufficient cpu"));
  assert.deepEqual(explainRejections(diagnosis), [
    { plugin: "Fit", reasons: ["Insufficient cpu"], count: 2, nodes: ["a", "c"] },
    { plugin: "Taints", reasons: ["tainted"], count: 1, nodes: ["b"] },
  ]);
});

test("explainScores() lists nodes best first, and only the best if there are many", () => {
  const nodes = Array.from({ length: 60 }, (_, index) => occupied(testNode(`n${index}`)));
  const table: ScoreTable = { nodes, rows: [], totals: new Float64Array(60) };
  addRow(table, { plugin: "X", weight: 2, scores: Float64Array.from(nodes, (_, index) => index) });
  const scores = explainScores(table);
  assert.equal(scores.length, 10);
  assert.deepEqual(scores[0], { node: "n59", total: 118, plugins: { X: 59 } });
  assert.deepEqual(scores.map(({ node }) => node).slice(0, 3), ["n59", "n58", "n57"]);
});

test("Explanations drops the oldest", () => {
  const explanations = new Explanations();
  const base = {
    uid: "",
    attempt: 1,
    timeMs: 0,
    result: "scheduled",
    message: "",
    rejected: [],
    scores: [],
  } as const;
  for (let index = 0; index < 2001; index++) explanations.set({ ...base, pod: `ns/${index}` });
  assert.equal(explanations.get("ns/0"), undefined);
  assert.equal(explanations.get("ns/2000")?.pod, "ns/2000");
});
