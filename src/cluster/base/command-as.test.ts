import assert from "node:assert/strict";
import { test } from "node:test";
import { commandAs } from "./command-as.ts";

const none = { inPath: undefined, ofSudo: "" };

for (const { call, words, expected } of [
  { call: { ...none, launcher: "./k8ts" }, words: "up", expected: "./k8ts up" },
  { call: { ...none, launcher: "k8ts" }, words: "up", expected: "k8ts up" },
  { call: { ...none, launcher: "/opt/k8ts/k8ts" }, words: "up", expected: "/opt/k8ts/k8ts up" },
  {
    call: { ...none, launcher: "/opt/my k8ts/k8ts" },
    words: "up",
    expected: "'/opt/my k8ts/k8ts' up",
  },
  {
    call: { launcher: "/usr/local/bin/k8ts", inPath: "/usr/local/bin/k8ts", ofSudo: "" },
    words: "status --name x",
    expected: "k8ts status --name x",
  },
  {
    call: { launcher: "./k8ts", inPath: "/usr/local/bin/k8ts", ofSudo: "" },
    words: "up",
    expected: "./k8ts up",
  },
  {
    call: { ...none, launcher: "./k8ts", ofSudo: "/home/me/k8ts/k8ts up" },
    words: "status",
    expected: "sudo ./k8ts status",
  },
  {
    call: { ...none, launcher: "./k8ts", ofSudo: "./k8ts up" },
    words: "kubectl get nodes",
    expected: "./k8ts kubectl get nodes",
  },
  {
    call: { ...none, launcher: "./k8ts", ofSudo: "/bin/bash" },
    words: "up",
    expected: "./k8ts up",
  },
]) {
  test(`commandAs() is ${expected}, called as ${call.launcher}`, () => {
    assert.equal(commandAs(call, words), expected);
  });
}
