import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProperties, systemdRelease } from "./systemd.ts";

const versions = { "systemd 252 (252.38-1~deb12u1)\n+PAM": 252, "systemd 257": 257, "": 0 };

for (const [text, release] of Object.entries(versions)) {
  test(`systemdRelease() reads ${release} from ${JSON.stringify(text)}`, () => {
    assert.equal(systemdRelease(text), release);
  });
}

test("parseProperties() splits at the first equals sign", () => {
  const text = "MainPID=12\nDescription=a=b\nEmpty=\n";
  assert.deepEqual(parseProperties(text), { MainPID: "12", Description: "a=b", Empty: "" });
});
