import { type Node, nodes } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

const meanings: ReadonlyMap<string, string> = new Map([
  ["MemoryPressure", "too little memory is free"],
  ["DiskPressure", "too little disk space is free"],
  ["PIDPressure", "too few process numbers are left"],
]);

export const nodePressure = cause<Node>({
  name: "node-pressure",
  layer: "node",
  of: [nodes],
  find({ status, metadata }, view) {
    const bad = (status?.conditions ?? []).find(
      ({ type, status: value }) => meanings.has(type) && value === "True",
    );
    if (!bad) return undefined;
    return {
      sentence: `it is under ${bad.type}: ${meanings.get(bad.type)}, so it takes no new Pods and evicts some ${said(bad.message)}`,
      since: bad.lastTransitionTime,
      evidence: [conditionLine(bad, view.nowMs)],
      fix: [
        `kubectl get pods -A --field-selector spec.nodeName=${metadata.name}`,
        "df -h  # on the machine",
      ],
    };
  },
});

const said = (message = ""): string => (message === "" ? "" : ` (${oneLine(message, 120)})`);
