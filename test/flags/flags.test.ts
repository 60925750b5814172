import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { apiServerFlags } from "#/apiserver/flags/index.ts";
import { managerFlags } from "#/controllers/base/flags.ts";
import { kubeletFlags } from "#/kubelet/config/flags.ts";
import { proxyFlags } from "#/proxy/config/flags.ts";
import { schedulerFlags } from "#/scheduler/config/flags.ts";
import type { FlagSet } from "#/std/flags/flags.ts";

const components: Readonly<Record<string, FlagSet>> = {
  "kube-apiserver": apiServerFlags,
  "kube-controller-manager": managerFlags,
  "kube-scheduler": schedulerFlags,
  "kube-proxy": proxyFlags,
  kubelet: kubeletFlags,
};

/** The names of flags that upstream's `--help` shows. */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded/flags.json"), "utf8"),
) as Record<string, string[]>;

for (const [component, names] of Object.entries(recorded)) {
  test(`${component} accepts every flag of upstream's`, () => {
    const flags = components[component] ?? {};
    assert.deepEqual(
      names.filter((name) => flags[name] === undefined),
      [],
    );
  });
}
