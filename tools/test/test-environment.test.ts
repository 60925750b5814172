import assert from "node:assert/strict";
import { test } from "node:test";
import { testEnvironment } from "./test-environment.ts";

const options = { folder: "/tmp/f", nodeFolder: "/node/bin", compileCache: "/cache" };

test("testEnvironment() has no variables of the machine but those set for tests", () => {
  const hostile = {
    PATH: "/odd:/usr/local/bin",
    HOME: "/root",
    LANG: "tr_TR.UTF-8",
    TZ: "Asia/Kolkata",
    http_proxy: "http://127.0.0.1:1",
    KUBECONFIG: "/none",
    NODE_OPTIONS: "--throw-deprecation",
    FUZZ_SECONDS: "3",
  };
  assert.deepEqual(testEnvironment(options, hostile), {
    PATH: "/node/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/tmp/f/home",
    TMPDIR: "/tmp/f/tmp",
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    NODE_COMPILE_CACHE: "/cache",
    FUZZ_SECONDS: "3",
  });
});
