import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerPort } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { RelatedPorts } from "./related-ports.ts";

const ports: readonly (readonly [hostPort: number, hostIP: string])[] = [
  [80, "10.0.0.1"],
  [0, ""],
  [80, ""],
  [81, ""],
  [80, "10.0.0.2"],
  [80, "10.0.0.1"],
];

/** Indices of ports, with the relation that upstream's warnings name. */
const cases: readonly (readonly [hostPort: number, hostIP: string, related: readonly string[]])[] =
  [
    [80, "10.0.0.1", ["0 duplicate", "1 overlapping", "2 dangerously ambiguous", "5 duplicate"]],
    [
      80,
      "",
      [
        "0 dangerously ambiguous",
        "1 overlapping",
        "2 duplicate",
        "4 dangerously ambiguous",
        "5 dangerously ambiguous",
      ],
    ],
    [
      0,
      "",
      [
        "0 overlapping",
        "1 duplicate",
        "2 overlapping",
        "3 overlapping",
        "4 overlapping",
        "5 overlapping",
      ],
    ],
    [82, "", ["1 overlapping"]],
    [80, "10.0.0.3", ["1 overlapping", "2 dangerously ambiguous"]],
  ];

test("RelatedPorts finds the ports that conflict with one, in their order", () => {
  const known = new RelatedPorts();
  const portOf = (hostPort: number, hostIP: string): ContainerPort => ({
    containerPort: 1,
    ...(hostPort > 0 && { hostPort }),
    ...(hostIP !== "" && { hostIP }),
  });
  for (const [index, [hostPort, hostIP]] of ports.entries()) {
    known.add(portOf(hostPort, hostIP), fieldPath(String(index)));
  }
  for (const [hostPort, hostIP, related] of cases) {
    const found = known.relatedTo(portOf(hostPort, hostIP));
    assert.deepEqual(
      found.map(({ relation, at }) => `${at} ${relation}`),
      related,
    );
  }
});
