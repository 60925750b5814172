import assert from "node:assert/strict";
import { test } from "node:test";
import { bootUnitOf } from "./boot-unit.ts";
import { clusterPaths } from "./paths.ts";
import type { ClusterSettings } from "./settings.ts";

const cases = [
  { cluster: "k8ts", folder: "/var/lib/k8ts", unit: "k8ts.service" },
  { cluster: "two", folder: "/srv/two", unit: "k8ts-two.service" },
];

for (const { cluster, folder, unit } of cases) {
  test(`bootUnitOf() starts and stops cluster ${cluster} with the machine`, () => {
    const { name, text } = bootUnitOf(clusterPaths(folder), { name: cluster } as ClusterSettings);
    assert.equal(name, unit);
    const commands = text.match(/^Exec\w+=.*$/gm)?.map((line) => line.replace(/=\S*\//, "="));
    assert.deepEqual(commands, [
      `ExecStart=k8ts up --name=${cluster} --data-dir=${folder} --no-install`,
      `ExecStop=k8ts down --name=${cluster} --data-dir=${folder} --keep-enabled`,
    ]);
  });
}
