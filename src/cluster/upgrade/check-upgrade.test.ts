import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deprecatedApis,
  type NodeVersion,
  type UpgradeFacts,
  unreachable,
  upgradeProblems,
} from "./check-upgrade.ts";

const node = (change: Partial<NodeVersion>): NodeVersion => ({
  name: "a",
  kubeletVersion: "v1.37.1",
  isServer: false,
  isReady: true,
  version: "0.1.0",
  isLocal: false,
  ...change,
});
const facts = (change: Partial<UpgradeFacts>): UpgradeFacts => ({
  runs: "v1.37.1",
  next: "v1.38.0",
  nodes: [],
  deprecated: [],
  ...change,
});
const widgets = { group: "example.com", version: "v1beta1", resource: "widgets" };

const cases: readonly (readonly [string, Partial<UpgradeFacts>, readonly string[]])[] = [
  ["to the next minor version", {}, []],
  ["to the same version", { next: "v1.37.1" }, []],
  [
    "over a minor version",
    { next: "v1.39.0" },
    ["from Kubernetes v1.37.1 to v1.39.0: a server skips no minor version; upgrade to 1.38 first"],
  ],
  [
    "to an older minor version",
    { next: "v1.36.2" },
    [
      "from Kubernetes v1.37.1 back to v1.36.2: an older server may not read what is stored; to undo an upgrade: --rollback",
    ],
  ],
  ["with the oldest kubelet", { nodes: [node({ kubeletVersion: "v1.35.9" })] }, []],
  [
    "with a kubelet that is too old",
    { nodes: [node({ kubeletVersion: "v1.34.9" })] },
    ["kubelet a has v1.34.9, more than 3 minor versions before v1.38.0: upgrade it first"],
  ],
  [
    "with a server that is too old",
    { nodes: [node({ kubeletVersion: "v1.36.0", isServer: true })] },
    ["server a has v1.36.0, more than 1 minor versions before v1.38.0: upgrade it first"],
  ],
  [
    "with a node that is newer",
    { nodes: [node({ kubeletVersion: "v1.39.0" })] },
    ["node a has v1.39.0, which is newer than v1.38.0"],
  ],
  [
    "with a node that does not work",
    { nodes: [node({ isReady: false })] },
    ["node a is not Ready: mend or remove it first"],
  ],
  [
    "with an API in use that is gone",
    { deprecated: [{ ...widgets, removedIn: "1.38" }] },
    [
      "widgets of example.com/v1beta1 is in use, and gone in 1.38: change the manifests and programs that name it (or --ignore-removed-apis)",
    ],
  ],
  ["with an API in use that goes later", { deprecated: [{ ...widgets, removedIn: "1.39" }] }, []],
  ["with an API that stays for now", { deprecated: [{ ...widgets, removedIn: "" }] }, []],
];
for (const [name, change, expected] of cases) {
  test(`upgradeProblems() of an upgrade ${name}`, () => {
    assert.deepEqual(upgradeProblems(facts(change)), expected);
  });
}

test("unreachable() names nodes elsewhere whose agents answer no requests", () => {
  const nodes = [
    node({}),
    node({ name: "old", version: undefined }),
    node({ name: "here", version: undefined, isLocal: true }),
  ];
  assert.deepEqual(unreachable(nodes), ["old"]);
});

test("deprecatedApis() reads upstream's metric", () => {
  const metrics = `# HELP apiserver_requested_deprecated_apis [STABLE] Gauge of deprecated APIs
apiserver_requested_deprecated_apis{group="example.com",removed_release="1.38",resource="widgets",subresource="",version="v1beta1"} 1
apiserver_requested_deprecated_apis{group="",removed_release="",resource="endpoints",subresource="",version="v1"} 1
`;
  assert.deepEqual(deprecatedApis(metrics), [
    { ...widgets, removedIn: "1.38" },
    { group: "", version: "v1", resource: "endpoints", removedIn: "" },
  ]);
});
