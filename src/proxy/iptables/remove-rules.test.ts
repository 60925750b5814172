import assert from "node:assert/strict";
import { test } from "node:test";
import { removalInput } from "./removal-input.ts";
import { SavedTables } from "./saved-tables.ts";

const saved = new SavedTables(`*filter
:INPUT ACCEPT [0:0]
:KUBE-FIREWALL - [0:0]
:KUBE-FORWARD - [0:0]
:MINE - [0:0]
-A INPUT -j KUBE-FIREWALL
-A INPUT -j MINE
COMMIT
`);

test("removalInput() removes KUBE-FIREWALL unless upstream's kubelet has it", () => {
  assert.equal(
    removalInput(saved, false),
    `*filter
:KUBE-FIREWALL - [0:0]
:KUBE-FORWARD - [0:0]
-D INPUT -j KUBE-FIREWALL
-X KUBE-FIREWALL
-X KUBE-FORWARD
COMMIT
`,
  );
  assert.equal(
    removalInput(saved, true),
    "*filter\n:KUBE-FORWARD - [0:0]\n-X KUBE-FORWARD\nCOMMIT\n",
  );
});
