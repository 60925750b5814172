import assert from "node:assert/strict";
import { test } from "node:test";
import { inStopOrder } from "./program-names.ts";

test("inStopOrder() ends what uses another program before that one", () => {
  const found = ["etcd", "containerd", "agent", "earlier", "server"];
  assert.deepEqual(inStopOrder(found), ["earlier", "agent", "containerd", "server", "etcd"]);
  assert.deepEqual(inStopOrder([]), []);
});
