import assert from "node:assert/strict";
import { test } from "node:test";
import { startHooks } from "./start-hooks.ts";

const options = { elections: false, priorityAndFairness: true, peers: false };
const hook = "poststarthook/aggregator-reload-proxy-client-cert";

for (const proxyCertificate of [false, true]) {
  test(`startHooks() ${proxyCertificate ? "has" : "lacks"} the hook of a front proxy's certificate`, () => {
    const names = startHooks({ ...options, proxyCertificate }, () => true).map(({ name }) => name);
    const before = names[names.indexOf("poststarthook/start-kube-aggregator-informers") - 1];
    assert.equal(before === hook, proxyCertificate);
    assert.equal(names.includes(hook), proxyCertificate);
  });
}
