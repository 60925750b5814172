import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import { plannedSettings } from "../plan/up-settings.ts";
import { memberLaunch } from "./member-launch.ts";

/** The words with which the script starts the program, and the program's environment. */
function launched(etcd: { joined?: string[] }): { words: string[]; env: string } {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-launch-"));
  try {
    const program = join(folder, "it's etcd");
    writeFileSync(program, '#!/bin/sh\nenv\nprintf "word %s\\n" "$@"\n', { mode: 0o755 });
    const settings = { ...plannedSettings("k8ts"), nodeName: "a", nodeIp: "10.0.0.1", etcd };
    const script = join(folder, "start");
    writeFileSync(script, memberLaunch(clusterPaths("/srv/x"), settings, program));
    const env = { ...process.env, ETCD_NAME: "other", ETCD_DATA_DIR: "/nowhere" };
    const text = execFileSync("sh", [script], { env, encoding: "utf8" });
    const lines = text.split("\n");
    const words = lines.filter((line) => line.startsWith("word ")).map((line) => line.slice(5));
    return { words, env: lines.filter((line) => line.startsWith("ETCD_")).join() };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("memberLaunch() makes the first member of a new cluster, whatever the user's environment is", () => {
  const { words, env } = launched({});
  assert.ok(words.includes("--initial-cluster=a=https://10.0.0.1:2380"));
  assert.ok(words.includes("--initial-cluster-state=new"));
  assert.ok(words.includes("--client-cert-auth=true"));
  assert.ok(words.includes("--peer-client-cert-auth=true"));
  assert.doesNotMatch(env, /ETCD_(NAME|DATA_DIR)/);
});

test("memberLaunch() adds a member to those that are there", () => {
  const { words } = launched({ joined: ["b=https://10.0.0.2:2380"] });
  const all = "--initial-cluster=b=https://10.0.0.2:2380,a=https://10.0.0.1:2380";
  assert.ok(words.includes(all));
  assert.ok(words.includes("--initial-cluster-state=existing"));
});
