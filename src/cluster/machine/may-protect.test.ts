import assert from "node:assert/strict";
import { test } from "node:test";
import { mayProtect } from "./may-protect.ts";

const capabilities = {
  "000001ffffffffff": true,
  "000001fffeffffff": false,
  "0000000000000000": false,
};

for (const [effective, may] of Object.entries(capabilities)) {
  test(`mayProtect() is ${may} with the capabilities ${effective}`, () => {
    assert.equal(mayProtect(`Name:\tx\nCapEff:\t${effective}\n`), may);
  });
}
