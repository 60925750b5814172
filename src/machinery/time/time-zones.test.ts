import assert from "node:assert/strict";
import { test } from "node:test";
import { isTimeZone } from "./time-zones.ts";

const known = ["UTC", "Etc/UTC", "Europe/Berlin", "US/Eastern", "EST5EDT", "GMT+0", "EST"];
const unknown = ["utc", "local", "Foo/Bar", "Europe/berlin", "../x", "a//b", "-x", "+01:00"];

for (const name of known) test(`isTimeZone() accepts ${name}`, () => assert.ok(isTimeZone(name)));
for (const name of unknown) {
  test(`isTimeZone() rejects ${name}`, () => assert.equal(isTimeZone(name), false));
}
